// Unsafe fence. Bounds: as in VersionTable.cs; a version's blocks are as long as it says.
namespace Voron.Storage.Versions;

/// <content>How versions and what they hold go back to the memory.</content>
internal sealed unsafe partial class VersionTable
{
    /// <summary>
    /// Gives a version's blocks and the version itself back to the memory. The caller holds the gate and knows that nobody can see it.
    /// </summary>
    internal void Free(PageVersion* version)
    {
        Gate.AssertHeld();
        if (!version->IsInFile)
        {
            FreeBlocks(version);
        }

        Memory.ReturnVersion(version);
    }

    /// <summary>
    /// Gives a version's blocks back to the memory; for its interval the data file has the content. The caller holds the gate and knows
    /// that nobody will look at it there or here.
    /// </summary>
    internal void Empty(PageVersion* version)
    {
        Gate.AssertHeld();
        FreeBlocks(version);
        version->Slots = null;
        version->SlotBytes = 0;
    }

    private void FreeBlocks(PageVersion* version)
    {
        if (version->IsInChunk)
        {
            Chunks.Release(~version->SlotBytes);
        }
        else if (!version->IsWhole)
        {
            Memory.ReturnBlock(version->Slots, version->SlotBytes);
            Memory.ReleaseHeap(version->Heap);
        }
        else if (version->PageCount > 1)
        {
            Memory.ReturnRun(version->Slots, version->PageCount * (long)Memory.PageBytes);
        }
        else
        {
            Memory.ReturnBlock(version->Slots, Memory.PageBytes);
        }
    }

    private void FreeRunsOf(nint* leaf)
    {
        for (int i = 0; leaf != null && i < LeafPages; i++)
        {
            for (PageVersion* version = (PageVersion*)leaf[i]; version != null; version = version->Older)
            {
                // Blocks go with their regions; the checked build gives them back one by one, to see what is left over.
                bool isRun = version->IsWhole && version->PageCount > 1;
                if (!version->IsInFile && !version->IsInChunk && (isRun || VersionMemory.IsChecked))
                {
                    FreeBlocks(version);
                }
            }
        }
    }
}
