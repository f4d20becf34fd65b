/*
 * report_frame.c - the style and the script of pages, their heading, cards and
 * tables.
 */
#include "io/report/report_figures.h"

#include "io/report/svg_draw.h"

#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

static const char style[] =
    ":root{color-scheme:light dark;--ink:#1b1f24;--soft:#59636e;--ground:#fff;"
    "--card:#f5f7f9;--line:#d5dae0;--bar:#0072b2;--mark:#d55e00;--missing:#cdd1d5}\n"
    "@media(prefers-color-scheme:dark){:root{--ink:#e8ebee;--soft:#a3acb5;"
    "--ground:#14171a;--card:#1e2328;--line:#39414a;--bar:#56b4e9;--mark:#ff9a4d;"
    "--missing:#454b52}}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0;background:var(--ground);color:var(--ink);"
    "font:17px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,sans-serif}\n"
    "main{max-width:1180px;margin:0 auto;padding:28px 24px 60px}\n"
    "h1{font-size:30px;line-height:1.2;margin:0 0 4px}\n"
    "h1,h2,h3,p,.card span{overflow-wrap:anywhere}\n"
    "h2{font-size:22px;margin:44px 0 4px}\n"
    "p{margin:0 0 12px;max-width:92ch}\n"
    "p,figcaption,.soft{color:var(--soft)}\n"
    "tspan.soft{fill:var(--soft)}\n"
    "code{font-family:ui-monospace,Menlo,Consolas,monospace;font-size:.92em}\n"
    ".cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(150px,1fr));"
    "gap:12px;margin:20px 0 0}\n"
    ".card{background:var(--card);border:1px solid var(--line);border-radius:8px;"
    "padding:10px 16px;line-height:1.35}\n"
    ".card b{display:block;font-size:22px;line-height:1.25;"
    "font-variant-numeric:tabular-nums}\n"
    ".card span{color:var(--soft);font-size:15px}\n"
    "svg{display:block;width:100%;height:auto}\n"
    ".picture{display:flex;align-items:flex-start;margin:14px 0 0}\n"
    ".picture>svg{flex:var(--chart) 1 0;min-width:0}.picture>.key{flex-grow:var(--key)}\n"
    "#bridges{max-width:640px}.memory{max-width:900px}\n"
    ".pair{display:grid;grid-template-columns:"
    "repeat(auto-fit,minmax(min(430px,100%),1fr));gap:0 34px}\n"
    ".pair>*{min-width:0}.pair>section{overflow-x:auto}.pair svg{max-width:640px}\n"
    ".missing{fill:var(--missing)}\n"
    ".tick{stroke:currentColor;stroke-width:1;fill:none}\n"
    ".grid{stroke:var(--line);stroke-width:1}\n"
    ".title,.note{font-weight:600}\n"
    ".bar{fill:var(--bar)}.bar:hover,.strip:hover,.cell:hover{opacity:.75}\n"
    ".line{fill:none;stroke:var(--bar);stroke-width:2.5;stroke-linejoin:round}\n"
    ".otu,.bridge{fill:var(--bar)}\n"
    ".cutoff{stroke:var(--mark);stroke-width:2;stroke-dasharray:6 4}\n"
    ".note{fill:var(--mark)}\n"
    "table{border-collapse:collapse;width:100%;font-size:15px;margin:8px 0 20px}\n"
    "td{padding:4px 10px 4px 0;border-bottom:1px solid var(--line);"
    "vertical-align:top;overflow-wrap:anywhere}\n"
    "td:first-child{color:var(--soft);white-space:nowrap;width:1%;padding-right:22px}\n"
    ".wide{overflow-x:auto}\n"
    "th{text-align:right;font-weight:600;padding:4px 0 4px 16px;"
    "border-bottom:1px solid var(--ink);vertical-align:bottom}\n"
    ".numbers td{text-align:right;padding:4px 0 4px 16px;white-space:nowrap;"
    "font-variant-numeric:tabular-nums}\n"
    ".numbers th:first-child,.numbers td:first-child{text-align:left;padding-left:0}\n"
    ".numbers .text{text-align:left;white-space:normal}\n"
    ".numbers td.text{min-width:34em}\n"
    ".numbers td.name{white-space:nowrap;min-width:0}\n"
    ".numbers .text:last-child{width:99%}\n"
    "#largest th{white-space:nowrap}\n"
    "#largest .sample{white-space:normal;min-width:6em;overflow-wrap:anywhere}\n"
    ".part{stroke:currentColor;stroke-dasharray:2 3;fill:none}\n"
    ".arena{stroke:currentColor;stroke-width:1.5;stroke-dasharray:7 4;fill:none}\n"
    "h3{font-size:17px;margin:18px 0 0}\n"
    ".border,.block{pointer-events:none}\n"
    ".tip{position:fixed;background:var(--card);border:1px solid var(--line);"
    "border-radius:6px;padding:3px 10px;font-size:15px;pointer-events:none}\n"
    "summary{font-size:22px;font-weight:700;margin:44px 0 4px;cursor:pointer}\n"
    ".save{font:14px system-ui,sans-serif;color:var(--soft);background:none;"
    "border:1px solid var(--line);border-radius:6px;padding:2px 10px;margin:4px 0 14px;"
    "cursor:pointer}\n"
    "@media(max-width:640px){main{padding:20px 16px 40px}table{font-size:14px}\n"
    ".numbers td,.numbers th{padding-left:9px}.numbers td.text{min-width:20em}"
    ".numbers td.name{min-width:0}\n"
    ".picture{display:block}.picture>.key{width:calc(var(--key)*1px);max-width:100%;"
    "margin:14px 0 0}}\n"
    "@media "
    "print{.save,.tip{display:none}:root{color-scheme:light}main{max-width:none}}\n";

/* Adds a button to each picture that saves it, with its key, as a file of its own:
 * elements with a class get the style that they have on the page, because other programs
 * know no style sheet. */
static const char script[] =
    "const kept=['fill','fill-opacity','stroke','stroke-width','stroke-dasharray',"
    "'stroke-linejoin','font-weight'];\n"
    "function styled(svg){\n"
    "const copy=svg.cloneNode(true),from=svg.querySelectorAll('[class]');\n"
    "copy.querySelectorAll('[class]').forEach((e,i)=>{const "
    "s=getComputedStyle(from[i]);\n"
    "for(const k of kept)e.style.setProperty(k,s.getPropertyValue(k))});\n"
    "return copy}\n"
    "function alone(svg){\n"
    "const copy=styled(svg),key=svg.parentNode.querySelector('.key'),"
    "{x,y,width,height}=svg.viewBox.baseVal,box={x,y,width,height};\n"
    "if(key){const part=styled(key),its=key.viewBox.baseVal;\n"
    "for(const[k,v]of[['x',its.x],['y',0],['width',its.width],['height',its.height]])"
    "part.setAttribute(k,v);\n"
    "copy.append(part);box.width+=its.width;box.height=Math.max(height,its.height);\n"
    "copy.setAttribute('viewBox',[x,y,box.width,box.height].join(' '))}\n"
    "const ground=document.createElementNS(svg.namespaceURI,'rect');\n"
    "for(const[k,v]of[['x',box.x],['y',box.y],['width',box.width],"
    "['height',box.height],"
    "['fill',getComputedStyle(document.body).backgroundColor]])ground.setAttribute(k,v);"
    "\n"
    "copy.prepend(ground);\n"
    "copy.setAttribute('width',box.width);copy.setAttribute('height',box.height);\n"
    "copy.style.color=getComputedStyle(svg).color;\n"
    "return new XMLSerializer().serializeToString(copy)}\n"
    "for(const svg of document.querySelectorAll('svg[id]')){\n"
    "const button=document.createElement('button');\n"
    "button.className='save';button.textContent='Save as SVG';\n"
    "button.onclick=()=>{const a=document.createElement('a'),"
    "url=URL.createObjectURL(new Blob([alone(svg)],{type:'image/svg+xml'}));\n"
    "a.href=url;a.download=svg.id+'.svg';a.click();"
    "setTimeout(()=>URL.revokeObjectURL(url),10000)};\n"
    "(svg.closest('.picture')||svg).after(button)}\n";

void report_frame_begin(FILE *to, const char *title, const char *file)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
          "<title>",
          to);
    svg_draw_text(to, title);
    fprintf(to, "</title>\n<style>\n%s</style>\n</head>\n<body>\n<main>\n<h1>", style);
    svg_draw_text(to, title);
    fputs("</h1>\n<p><code>", to);
    svg_draw_text(to, file);
    fputs("</code></p>\n", to);
}

void report_frame_card(FILE *to, const char *id, int64_t value, const char *label, ...)
{
    char text[256], count[SVG_NUMBER_BYTES];
    va_list args;

    va_start(args, label);
    vsnprintf(text, sizeof(text), label, args);
    va_end(args);
    fprintf(to, "<div class=\"card\" id=\"%s\"><b>%s</b><span>", id,
            svg_draw_count(value, count));
    svg_draw_text(to, text);
    fputs("</span></div>\n", to);
}

/* @return whether any line belongs to a section */
static bool has_section(const char *about, const char *section)
{
    const size_t len = strlen(section);

    for (const char *line = about; line != NULL; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, section, len) == 0 && line[len] == '\t')
            return true;
    }
    return false;
}

/* Write the lines of one section as a table, if there are any. */
static void write_table(FILE *to, const char *about, const char *section,
                        const char *title)
{
    size_t section_len = strlen(section);

    if (!has_section(about, section))
        return;
    fprintf(to, "<section><h3>%s</h3>\n<table id=\"%s\">\n", title, section);
    for (const char *line = about; *line != '\0';) {
        size_t len = strcspn(line, "\n");

        if (strncmp(line, section, section_len) == 0 && line[section_len] == '\t') {
            const char *at = line + section_len + 1;
            size_t name_len = strcspn(at, "\t\n");
            const char *text = at[name_len] == '\t' ? at + name_len + 1 : at + name_len;

            fputs("<tr><td>", to);
            svg_draw_bytes(to, at, name_len);
            fputs("</td><td>", to);
            svg_draw_bytes(to, text, (size_t)(line + len - text));
            fputs("</td></tr>\n", to);
        }
        line += len + (line[len] == '\n');
    }
    fputs("</table></section>\n", to);
}

void report_frame_end(FILE *to, const char *about)
{
    fputs("<details id=\"provenance\">\n<summary>Parameters and provenance</summary>\n"
          "<div class=\"pair\">\n",
          to);
    write_table(to, about, "job", "What was computed");
    write_table(to, about, "run", "The run");
    write_table(to, about, "file", "The file");
    write_table(to, about, "otus", "The OTUs");
    write_table(to, about, "report", "This report");
    fprintf(to, "</div>\n</details>\n</main>\n<script>\n%s</script>\n</body>\n</html>\n",
            script);
}
