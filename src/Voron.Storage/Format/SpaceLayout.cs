namespace Voron.Storage.Format;

/// <summary>
/// Where the space maps are. A group is the pages that one map page has bits for; an extent is as many groups as it takes to cover 4
/// GiB, and the maps of all its groups are together at its start, so that a run of pages for one value is never cut by a map page
/// before that size.
/// </summary>
internal readonly struct SpaceLayout
{
    internal SpaceLayout(int pageBytes)
    {
        PagesPerGroup = (long)(pageBytes - PageHeader.SizeBytes) * 8;
        int scale = pageBytes / FormatConstants.MinPageBytes;
        GroupsPerExtent = Math.Max(1, 32 / (scale * scale));
    }

    internal long PagesPerGroup { get; }

    internal int GroupsPerExtent { get; }

    internal long PagesPerExtent => PagesPerGroup * GroupsPerExtent;

    /// <summary>First page of a new database that is neither header, catalog nor map.</summary>
    internal PageNumber FirstFreePage => FormatConstants.FirstSpaceMapPage + GroupsPerExtent;

    /// <summary>The page that holds the bits of a group.</summary>
    internal PageNumber MapPage(long group) =>
        FormatConstants.FirstSpaceMapPage + ((group / GroupsPerExtent) * PagesPerExtent) + (group % GroupsPerExtent);

    /// <summary>The group that has the page's bit.</summary>
    internal long GroupOf(PageNumber page) => page.Value / PagesPerGroup;

    /// <summary>Index of the page's bit in its group's map.</summary>
    internal int BitOf(PageNumber page) => (int)(page.Value % PagesPerGroup);

    internal PageNumber PageOf(long group, int bit) => new((group * PagesPerGroup) + bit);

    /// <summary>
    /// Leading bits of a group's map that are in use from the start: header slots and catalog in group 0, and the maps where an extent
    /// begins.
    /// </summary>
    internal (int First, int Count) ReservedBits(long group)
    {
        if (group % GroupsPerExtent != 0)
        {
            return (0, 0);
        }

        return group == 0
            ? (0, (int)FirstFreePage.Value)
            : ((int)FormatConstants.FirstSpaceMapPage.Value, GroupsPerExtent);
    }
}
