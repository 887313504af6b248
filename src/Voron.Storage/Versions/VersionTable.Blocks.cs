// Unsafe fence. Bounds: as in VersionTable.cs; a version's blocks are as long as it says.
namespace Voron.Storage.Versions;

/// <content>Returning versions and their blocks to the memory.</content>
internal sealed unsafe partial class VersionTable
{
    /// <summary>Returns the blocks of a version and the version itself to the memory. The caller knows that no thread can see it.</summary>
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
    /// Returns the blocks of a version to the memory; for its interval the data file has the content. The caller knows that no thread will
    /// read it there or here.
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

    private void FreeRunsOf(in HeadTable heads)
    {
        for (int i = 0; i < heads.Parts * HeadTable.PartPages; i++)
        {
            heads.TryGet(i, out PageVersion* version);
            for (; version != null; version = version->Older)
            {
                // Blocks are freed with their regions; the checked build returns them one by one, to see what is left over.
                bool isRun = version->IsWhole && version->PageCount > 1;
                if (!version->IsInFile && !version->IsInChunk && (isRun || VersionMemory.IsChecked))
                {
                    FreeBlocks(version);
                }
            }
        }
    }
}
