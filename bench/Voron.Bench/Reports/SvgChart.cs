using System.Globalization;
using System.Security;
using System.Text;

namespace Voron.Bench.Reports;

/// <summary>
/// Charts as SVG text, without a package: bars for figures of several engines, dots for places in files, lines for figures over time.
/// </summary>
internal static class SvgChart
{
    private const int Width = 900;
    private const int LabelWidth = 220;
    private const int BarHeight = 22;
    private const int Margin = 16;
    private const int PlotHeight = 260;
    private const int PlotTop = 40;
    private const int PlotLeft = 90;
    private const int PlotWidth = Width - PlotLeft - Margin;

    /// <summary>Side of a dot; two dots that fall on the same cell are one.</summary>
    private const int Cell = 2;
    private const string OurColor = "#1f77b4";
    private const string PeerColor = "#b0b7c3";
    private const string Text = "font-family=\"sans-serif\" font-size=\"13\"";
    private static readonly string[] Colors = ["#1f77b4", "#d62728", "#2ca02c", "#ff7f0e", "#9467bd", "#8c564b", "#e377c2", "#7f7f7f"];

    /// <summary>One bar for each figure, drawn from the left; ours in a color of its own.</summary>
    internal static string Bars(string title, string unit, IReadOnlyList<(string Label, double Figure, bool IsOurs)> bars)
    {
        double largest = Math.Max(bars.Count == 0 ? 0 : bars.Max(static bar => bar.Figure), double.Epsilon);
        int height = (Margin * 2) + 30 + (bars.Count * (BarHeight + 6));
        StringBuilder svg = Begin(title, height);
        const double Room = Width - LabelWidth - 150.0;
        for (int place = 0; place < bars.Count; place++)
        {
            (string label, double figure, bool isOurs) = bars[place];
            int top = Margin + 30 + (place * (BarHeight + 6));
            double width = Math.Max(1, figure / largest * Room);
            Append(svg, $"<text x=\"{LabelWidth - 8}\" y=\"{top + 16}\" text-anchor=\"end\">{Escape(label)}</text>");
            string color = isOurs ? OurColor : PeerColor;
            Append(svg, $"<rect x=\"{LabelWidth}\" y=\"{top}\" width=\"{width:0.#}\" height=\"{BarHeight}\" fill=\"{color}\"/>");
            Append(svg, $"<text x=\"{LabelWidth + width + 6:0.#}\" y=\"{top + 16}\">{figure:N0} {Escape(unit)}</text>");
        }

        return End(svg);
    }

    /// <summary>Dots, as a picture inside; each series is a list of pairs, x then y.</summary>
    internal static string Dots(string title, string xUnit, string yUnit, IReadOnlyDictionary<string, double[]> series)
    {
        double right = Largest(series, 0);
        double top = Largest(series, 1);
        StringBuilder svg = BeginPlot(title, (xUnit, right), (yUnit, top), series.Keys);
        DotRaster raster = new(PlotWidth / Cell, PlotHeight / Cell);
        int number = 0;
        foreach (double[] points in series.Values)
        {
            for (int place = 0; place + 1 < points.Length; place += 2)
            {
                int x = (int)(points[place] / right * (PlotWidth / Cell));
                int y = (int)((1 - (points[place + 1] / top)) * (PlotHeight / Cell));
                raster.Set(x, y, (byte)((number % Colors.Length) + 1));
            }

            number++;
        }

        Append(svg, $"<image x=\"{PlotLeft}\" y=\"{PlotTop}\" width=\"{PlotWidth}\" height=\"{PlotHeight}\"");
        Append(svg, $"  style=\"image-rendering:pixelated\"");
        Append(svg, $"  href=\"data:image/png;base64,{Convert.ToBase64String(raster.Encode(Colors))}\"/>");
        return End(svg);
    }

    /// <summary>A line for each series, which is a list of pairs, x then y; one path each, in whole units of the picture.</summary>
    internal static string Lines(string title, string xUnit, string yUnit, IReadOnlyDictionary<string, double[]> series)
    {
        double right = Largest(series, 0);
        double top = Largest(series, 1);
        StringBuilder svg = BeginPlot(title, (xUnit, right), (yUnit, top), series.Keys);
        int number = 0;
        foreach (double[] points in series.Values)
        {
            StringBuilder path = new();
            for (int place = 0; place + 1 < points.Length; place += 2)
            {
                path.Append(place == 0 ? 'M' : 'L');
                path.Append(CultureInfo.InvariantCulture, $"{PlotLeft + (points[place] / right * PlotWidth):0} ");
                path.Append(CultureInfo.InvariantCulture, $"{PlotTop + ((1 - (points[place + 1] / top)) * PlotHeight):0}");
            }

            Append(svg, $"<path d=\"{path}\" fill=\"none\" stroke=\"{Colors[number++ % Colors.Length]}\" stroke-width=\"2\"/>");
        }

        return End(svg);
    }

    /// <summary>The frame of a plot with the ends of its axes, and below it the names of its series in their colors.</summary>
    private static StringBuilder BeginPlot(
        string title, (string Unit, double End) x, (string Unit, double End) y, IEnumerable<string> names)
    {
        string[] all = [.. names];
        StringBuilder svg = Begin(title, PlotHeight + 90 + (all.Length * 16));
        string frame = string.Create(CultureInfo.InvariantCulture, $"x=\"{PlotLeft}\" y=\"{PlotTop}\" width=\"{PlotWidth}\"");
        Append(svg, $"<rect {frame} height=\"{PlotHeight}\" fill=\"none\" stroke=\"#999\"/>");
        string format = y.End < 10 ? "0.###" : "N0";
        string end = y.End.ToString(format, CultureInfo.InvariantCulture);
        Append(svg, $"<text x=\"{PlotLeft - 6}\" y=\"{PlotTop + 10}\" text-anchor=\"end\">{end} {Escape(y.Unit)}</text>");
        Append(svg, $"<text x=\"{PlotLeft - 6}\" y=\"{PlotHeight + PlotTop}\" text-anchor=\"end\">0</text>");
        int below = PlotHeight + PlotTop + 18;
        Append(svg, $"<text x=\"{Width - Margin}\" y=\"{below}\" text-anchor=\"end\">{x.End:0.###} {Escape(x.Unit)}</text>");
        for (int number = 0; number < all.Length; number++)
        {
            int line = below + 18 + (number * 16);
            string color = Colors[number % Colors.Length];
            Append(svg, $"<circle cx=\"{PlotLeft + 6}\" cy=\"{line - 4}\" r=\"4\" fill=\"{color}\"/>");
            Append(svg, $"<text x=\"{PlotLeft + 16}\" y=\"{line}\">{Escape(all[number])}</text>");
        }

        return svg;
    }

    private static double Largest(IReadOnlyDictionary<string, double[]> series, int odd) => Math.Max(
        series.Values.SelectMany(points => points.Where((_, place) => place % 2 == odd)).DefaultIfEmpty(0).Max(), double.Epsilon);

    private static StringBuilder Begin(string title, int height)
    {
        StringBuilder svg = new();
        Append(svg, $"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {Width} {height}\" {Text}>");
        Append(svg, $"<rect width=\"{Width}\" height=\"{height}\" fill=\"white\"/>");
        Append(svg, $"<text x=\"{Margin}\" y=\"{Margin + 8}\" font-size=\"15\" font-weight=\"bold\">{Escape(title)}</text>");
        return svg;
    }

    private static string End(StringBuilder svg)
    {
        Append(svg, $"</svg>");
        return svg.ToString();
    }

    private static string Escape(string text) => SecurityElement.Escape(text);

    private static void Append(StringBuilder svg, FormattableString line) =>
        svg.Append(line.ToString(CultureInfo.InvariantCulture)).Append('\n');
}
