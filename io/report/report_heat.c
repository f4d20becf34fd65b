/*
 * report_heat.c - the heat map: cells, strips along two sides, axis labels.
 */
#include "io/report/report_figures.h"

#include "io/base/logmsg.h"
#include "io/base/plural.h"
#include "io/report/report_legend.h"
#include "io/report/svg_draw.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { TOP = 34, MAP = 700, STRIP = 18, GAP = 6, MARGIN = 28, LEGEND = 304 };
/* Room for names on the left: of sequences, of sequences and taxa, of OTUs and taxa. */
enum { NAMES = 290, NAMES_TAXA = 370, LABELS = 250, NO_NAMES = 20 };
enum { LABEL_LINE = 14, TAXON_SHORT = 19 }; /* pixels; bytes of a taxon */
/* Strips drawn one by one; the rest share one strip, to limit the size of the page. */
enum { STRIPS_DRAWN = 300 };
/* Bytes of a name beside the map, and where the pointer shows it: a name may be of any
 * length, and a small map has a thousand cells. */
enum { NAME_SHORT = 22, NAME_LONG = 120, NAME_POINTED = 40 };

/* @return pixels from the edge of the map to a position in the order */
static double pixel_of(const report_data_t *p, int64_t position)
{
    return MAP * (double)position / (double)p->heat_map->n;
}

/* @return what is shown at a cell without identity */
static const char *missing_text(const report_data_t *p)
{
    return p->min_identity.denominator != 0 ? "below the cutoff" : "no identity";
}

static svg_rgba_t cell_color(const report_heat_map_t *h, const report_scale_t *scale,
                             int at)
{
    svg_rgba_t color = svg_color_scale((h->mean[at] - scale->low) / (1 - scale->low));

    color.alpha = report_legend_opacity[report_legend_opacity_of(h->coverage[at])].alpha;
    return color;
}

/* Pixels by which a cell lies under the next ones, so that rounding leaves no gap. */
static const double cell_overlap = 0.3;

/* Draw each cell as an element titled with its pair, and the names of the rows. */
static void draw_named(FILE *to, const report_data_t *p, const report_scale_t *scale,
                       double left)
{
    const report_heat_map_t *h = p->heat_map;
    double size = (double)MAP / h->side;

    for (int at = 0; at < h->side * h->side; at++) {
        int row = at / h->side, col = at % h->side;
        bool is_missing = isnan(h->mean[at]);
        svg_rgba_t c = is_missing ? (svg_rgba_t){0} : cell_color(h, scale, at);

        fprintf(to,
                "<rect class=\"cell\" shape-rendering=\"crispEdges\" x=\"%.2f\" "
                "y=\"%.2f\" width=\"%.2f\" "
                "height=\"%.2f\" fill=\"#%02x%02x%02x\" fill-opacity=\"%d\"><title>",
                left + col * size, TOP + row * size,
                size + (col + 1 < h->side ? cell_overlap : 0),
                size + (row + 1 < h->side ? cell_overlap : 0), c.red, c.green, c.blue,
                is_missing ? 0 : 1);
        report_legend_short(to, h->names[row], NAME_LONG);
        fputs(" and ", to);
        report_legend_short(to, h->names[col], NAME_LONG);
        if (is_missing)
            fprintf(to, ": %s</title></rect>\n", missing_text(p));
        else
            fprintf(to, ": %.2f %%</title></rect>\n", 100 * h->mean[at]);
    }
    for (int row = 0; row < h->side; row++) {
        fprintf(to, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\"><title>",
                left - GAP - (h->n_strips > 0 ? STRIP + GAP : 0),
                TOP + (row + 0.5) * size + 5);
        report_legend_short(to, h->names[row], NAME_LONG);
        fputs("</title>", to);
        report_legend_short(to, h->names[row], NAME_SHORT);
        if (h->taxa != NULL && h->taxa[row] != NULL) {
            fputs(" <tspan class=\"soft\">", to);
            report_legend_short(to, h->taxa[row], TAXON_SHORT);
            fputs("</tspan>", to);
        }
        fputs("</text>\n", to);
    }
}

/* Shows what the pointer is at, in large maps: decodes the picture, whose palette has
 * steps of identity, n at each of several opacities. */
static const char script[] =
    "for(const map of document.querySelectorAll('image.cells')){\n"
    "const d=map.dataset,names=d.names.split('\\n'),side=names.length,low=+d.low,"
    "steps=d.steps-1,shares=d.shares.split('\\n');\n"
    "const png=Uint8Array.from(atob(map.getAttribute('href').split(',')[1]),"
    "c=>c.charCodeAt(0)),view=new DataView(png.buffer),packed=[];\n"
    "for(let at=8;at<png.length;at+=12+view.getUint32(at))\n"
    "if(view.getUint32(at+4)===0x49444154)"
    "packed.push(png.subarray(at+8,at+8+view.getUint32(at)));\n"
    "const first=k=>Math.ceil(k*d.n/side),percent=x=>(100*x).toFixed(2);\n"
    "const who=k=>{const m=first(k+1)-first(k);"
    "return m>1?m+' sequences from '+names[k]:names[k]};\n"
    "const value=c=>{if(!c)return d.missing;\n"
    "const i=(c-1)%d.steps,share=Math.floor((c-1)/d.steps),of=s=>low+(1-low)*s/steps,"
    "to=percent(of(Math.min(i+.5,steps)));\n"
    "return(i||!+d.cut?percent(of(Math.max(i-.5,0)))+' to '+to:'below '+to)+' %'+"
    "(share?', '+shares[share]:'')};\n"
    "const tip=document.createElement('div');tip.className='tip';tip.hidden=true;\n"
    "document.body.append(tip);\n"
    "new Response(new Blob(packed).stream().pipeThrough("
    "new DecompressionStream('deflate'))).arrayBuffer().then(raw=>{\n"
    "const cells=new Uint8Array(raw);\n"
    "map.onpointermove=e=>{const r=map.getBoundingClientRect(),"
    "at=f=>Math.min(side-1,Math.max(0,Math.floor(f*side)));\n"
    "const row=at((e.clientY-r.top)/r.height),col=at((e.clientX-r.left)/r.width);\n"
    "tip.textContent=who(row)+' and '+who(col)+': '+value(cells[row*(side+1)+col+1]);\n"
    "tip.hidden=false;\n"
    "tip.style.left=Math.max(0,Math.min(e.clientX+16,innerWidth-tip.offsetWidth-8))+'px'"
    ";tip.style.top=e.clientY+18+'px'};\n"
    "map.onpointerleave=()=>{tip.hidden=true};map.dataset.ready='yes'})}\n";

/* Write what the script needs: the scale, and the first sequence of each row. */
static void write_cell_names(FILE *to, const report_data_t *p,
                             const report_scale_t *scale)
{
    const report_heat_map_t *h = p->heat_map;

    fprintf(to,
            "data-n=\"%" PRId64 "\" data-low=\"%.9g\" data-cut=\"%d\" "
            "data-steps=\"%d\" data-missing=\"%s\" data-shares=\"",
            h->n, scale->low, scale->is_cut, REPORT_COLORS, missing_text(p));
    for (int i = 1; i < REPORT_OPACITIES; i++)
        fprintf(to, "\nless than %g %% of the pairs",
                100 * report_legend_opacity[i - 1].min_coverage);
    fputs("\" data-names=\"", to);
    for (int row = 0; row < h->side; row++) {
        const int64_t first = ((int64_t)row * h->n + h->side - 1) / h->side;

        fputs(row > 0 ? "\n" : "", to);
        report_legend_short(to, h->names[first], NAME_POINTED);
        if (h->taxa != NULL && h->taxa[first] != NULL) {
            fputs(" (", to);
            report_legend_short(to, h->taxa[first], NAME_POINTED);
            fputs(")", to);
        }
    }
    fputs("\"", to);
}

/* Draw all cells as one embedded PNG. */
static status_t draw_picture(FILE *to, const report_data_t *p,
                             const report_scale_t *scale, double left)
{
    const report_heat_map_t *h = p->heat_map;
    int n_cells = h->side * h->side;
    uint8_t *cells = malloc((size_t)n_cells);
    svg_rgba_t palette[1 + REPORT_OPACITIES * REPORT_COLORS] = {{0}}; /* 0: missing */
    status_t st;

    if (cells == NULL)
        return log_nomem("a picture");
    for (int i = 0; i < REPORT_OPACITIES * REPORT_COLORS; i++) {
        palette[1 + i] =
            svg_color_scale((i % REPORT_COLORS) / (double)(REPORT_COLORS - 1));
        palette[1 + i].alpha = report_legend_opacity[i / REPORT_COLORS].alpha;
    }
    for (int at = 0; at < n_cells; at++) {
        double t = (h->mean[at] - scale->low) / (1 - scale->low);
        int color = (int)lround(fmin(fmax(t, 0), 1) * (REPORT_COLORS - 1));

        cells[at] =
            isnan(h->mean[at])
                ? 0
                : (uint8_t)(1 + color +
                            REPORT_COLORS * report_legend_opacity_of(h->coverage[at]));
    }
    fprintf(to,
            "<image class=\"cells\" x=\"%.1f\" y=\"%d\" width=\"%d\" height=\"%d\" "
            "preserveAspectRatio=\"none\" image-rendering=\"%s\" ",
            left, TOP, MAP, MAP, h->side < MAP / 2 ? "pixelated" : "auto");
    write_cell_names(to, p, scale);
    fputs(" href=\"", to);
    st = svg_png_write(to, cells, h->side, h->side, palette,
                       1 + REPORT_OPACITIES * REPORT_COLORS);
    fputs("\"/>\n", to);
    free(cells);
    return st;
}

/* Draw one strip twice: to the left of the map and above it. */
static void draw_strip(FILE *to, const report_data_t *p, const char *name, int64_t begin,
                       int64_t end, const char *color, double left)
{
    double from = pixel_of(p, begin), len = pixel_of(p, end) - from;
    double at[2][4] = {{left - GAP - STRIP, TOP + from, STRIP, len},
                       {left + from, TOP - GAP - STRIP, len, STRIP}};
    char count[SVG_NUMBER_BYTES];

    for (int side = 0; side < 2; side++) {
        fprintf(to,
                "<rect class=\"strip\" data-sequences=\"%" PRId64
                "\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" "
                "fill=\"%s\"><title>",
                end - begin, at[side][0], at[side][1], at[side][2], at[side][3], color);
        svg_draw_text(to, name);
        fprintf(to, ": %s sequence%s</title></rect>\n",
                svg_draw_count(end - begin, count), plural(end - begin));
    }
}

static void draw_strips(FILE *to, const report_data_t *p, const char *const *colors,
                        double left)
{
    const report_heat_map_t *h = p->heat_map;
    int n = h->n_strips > STRIPS_DRAWN ? STRIPS_DRAWN : h->n_strips;

    for (int i = 0; i < n; i++)
        draw_strip(to, p, h->strips[i].name, h->strips[i].begin, h->strips[i].end,
                   colors[i], left);
    if (n < h->n_strips)
        draw_strip(to, p, "others", h->strips[n].begin, h->n, svg_color_other[0], left);
    for (int i = 1; i < n; i++) /* borders of large strips go on across the map */
        if (h->n >= 2 * REPORT_HEAT_NAMED &&
            (h->strips[i].end - h->strips[i].begin > h->n / 50 ||
             h->strips[i - 1].end - h->strips[i - 1].begin > h->n / 50))
            fprintf(to,
                    "<path class=\"border\" d=\"M%.2f %dv%dM%.2f %.2fh%d\" "
                    "stroke=\"#fff\" stroke-opacity=\"0.55\" stroke-width=\"0.7\" "
                    "fill=\"none\"/>\n",
                    left + pixel_of(p, h->strips[i].begin), TOP, MAP, left,
                    TOP + pixel_of(p, h->strips[i].begin), MAP);
}

int64_t report_heat_label_min(int64_t n)
{
    return (n * LABEL_LINE + MAP - 1) / MAP;
}

/* Draw the name of an OTU or of a run of one taxon beside the strips, if there is room.
 */
static void draw_label(FILE *to, const report_data_t *p, const report_label_t *l,
                       double right)
{
    char count[SVG_NUMBER_BYTES];

    if (l->end - l->begin < report_heat_label_min(p->heat_map->n))
        return;
    fprintf(to,
            "<text class=\"label\" x=\"%.1f\" y=\"%.1f\" font-size=\"13\" "
            "text-anchor=\"end\"><title>",
            right, TOP + (pixel_of(p, l->begin) + pixel_of(p, l->end)) / 2 + 4.5);
    if (l->otu >= 0)
        fprintf(to, "OTU %" PRId64 "%s", l->otu + 1, l->taxon != NULL ? ", " : "");
    if (l->taxon != NULL)
        report_legend_short(to, l->taxon, NAME_LONG);
    fprintf(to, ": %s sequence%s</title>", svg_draw_count(l->end - l->begin, count),
            plural(l->end - l->begin));
    if (l->otu >= 0)
        fprintf(to, "OTU %" PRId64 "%s", l->otu + 1, l->taxon != NULL ? " " : "");
    if (l->taxon != NULL)
        report_legend_short(to, l->taxon, TAXON_SHORT);
    fputs("</text>\n", to);
}

/* Outline an OTU on the diagonal, if that does not hide it. */
static void draw_outline(FILE *to, const report_data_t *p, const report_label_t *l,
                         double left)
{
    const double from = pixel_of(p, l->begin), len = pixel_of(p, l->end) - from;

    if (len >= 5)
        fprintf(to,
                "<rect class=\"block\" data-otu=\"%" PRId64 "\" data-sequences=\"%" PRId64
                "\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" "
                "stroke=\"#1b1f24\" stroke-width=\"0.8\" fill=\"none\"/>\n",
                l->otu + 1, l->end - l->begin, left + from, TOP + from, len, len);
}

/* Rows that have names of their own need none of OTUs. */
static void draw_labels(FILE *to, const report_data_t *p, bool is_named, double left)
{
    const report_heat_map_t *h = p->heat_map;

    for (int64_t k = 0; k < h->n_labels; k++) {
        if (!is_named)
            draw_label(to, p, &h->labels[k],
                       left - GAP - (h->n_strips > 0 ? STRIP + GAP : 0));
        if (h->shows_otus)
            draw_outline(to, p, &h->labels[k], left);
    }
}

/* Draw the bottom axis: positions and the name of the order. */
static void draw_axis(FILE *to, const report_data_t *p, bool is_named, double left)
{
    const report_heat_map_t *h = p->heat_map;
    char count[SVG_NUMBER_BYTES], all[SVG_NUMBER_BYTES];
    double step = svg_draw_step((double)h->n, 6);

    if (!is_named)
        for (double at = 0; at <= (double)h->n; at += step)
            fprintf(to,
                    "<path class=\"tick\" d=\"M%.1f %dv5\" stroke=\"currentColor\"/>"
                    "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n",
                    left + MAP * at / (double)h->n, TOP + MAP,
                    left + MAP * at / (double)h->n, TOP + MAP + 21,
                    svg_draw_count((int64_t)at, count));
    svg_draw_count(h->n, count);
    fprintf(to, "<text class=\"title\" x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">",
            left + MAP / 2.0, TOP + MAP + 46);
    if (h->n < p->n)
        fprintf(to, "%s of %s sequences, ", count, svg_draw_count(p->n, all));
    else
        fprintf(to, "%s sequences %s", count, h->shows_otus ? "" : "in ");
    if (h->shows_otus)
        fputs("OTU by OTU in ", to);
    svg_draw_text(to, h->order);
    fputs("</text>\n", to);
}

/* @return the room for names on the left */
static double names_width(const report_heat_map_t *h, bool is_named)
{
    if (is_named)
        return h->taxa != NULL ? NAMES_TAXA : NAMES;
    return h->n_labels > 0 ? LABELS : NO_NAMES;
}

/* Draw the legend to memory, because its picture begins with its height. */
static status_t draw_legend(const report_data_t *p, const report_scale_t *scale,
                            const char *const *colors, svg_keyed_t *size, char **out)
{
    size_t len = 0;
    FILE *to = open_memstream(out, &len);

    if (to == NULL)
        return log_nomem("a legend");
    size->key_height = report_legend_draw(to, p, scale, colors, size->width, TOP);
    return fclose(to) == 0 ? ST_OK : log_nomem("a legend");
}

status_t report_heat_write(FILE *to, const report_data_t *p)
{
    const report_heat_map_t *h = p->heat_map;
    const bool is_named = h->n <= REPORT_HEAT_NAMED && h->side == h->n;
    const double left =
        (h->n_strips > 0 ? STRIP + 2 * GAP : 2) + names_width(h, is_named);
    svg_keyed_t size = {left + MAP + MARGIN, TOP + MAP + 58, LEGEND, 0, 16};
    report_scale_t scale;
    const char **colors = malloc((size_t)(h->n_strips + 1) * sizeof(*colors));
    char *legend = NULL;
    status_t st = colors == NULL ? log_nomem("colours") : report_legend_scale(p, &scale);

    if (st != ST_OK)
        goto done;
    report_legend_colors(h, colors);
    if ((st = draw_legend(p, &scale, colors, &size, &legend)) != ST_OK)
        goto done;
    svg_draw_keyed_begin(to, "heat", &size, "Heat map of identities");
    fprintf(to,
            "<rect class=\"missing\" x=\"%.1f\" y=\"%d\" width=\"%d\" height=\"%d\" "
            "fill=\"%s\"/>\n",
            left, TOP, MAP, MAP, report_legend_missing);
    if (is_named)
        draw_named(to, p, &scale, left);
    else
        st = draw_picture(to, p, &scale, left);
    draw_strips(to, p, colors, left);
    draw_labels(to, p, is_named, left);
    draw_axis(to, p, is_named, left);
    svg_draw_key_begin(to, &size);
    fputs(legend, to);
    svg_draw_key_end(to);
    if (!is_named)
        fprintf(to, "<script>\n%s</script>\n", script);
done:
    free(legend);
    free(colors);
    return st;
}
