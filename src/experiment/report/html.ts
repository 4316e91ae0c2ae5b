import { escapeText } from '../../common/plot/svg.js';
import type { Cell, Table } from '../../common/table/table.js';
import type { Report } from './report.js';

/** The report as one HTML page that contains its styles and figures. */
export function htmlReport({ title, settings, tables, figures }: Report): string {
  const sections = tables.map(
    (table) =>
      `<section id="${table.id}">\n<h2>${escapeText(table.title)}</h2>\n${tableHtml(table)}` +
      figures
        .filter(({ after }) => after === table.id)
        .map(({ svg }) => `<figure>${svg.trimEnd()}</figure>\n`)
        .join('') +
      '</section>\n',
  );
  return [
    '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n',
    '<meta name="viewport" content="width=device-width, initial-scale=1">\n',
    '<meta name="color-scheme" content="light dark">\n',
    `<title>${escapeText(title)}</title>\n<style>${style}</style>\n</head>\n<body>\n<main>\n`,
    `<header>\n<h1>${escapeText(title)}</h1>\n<dl>\n`,
    ...settings.map(
      ([name, value]) => `<div><dt>${escapeText(name)}</dt><dd>${escapeText(value)}</dd></div>\n`,
    ),
    '</dl>\n<nav>',
    tables.map(({ id, title: name }) => `<a href="#${id}">${escapeText(name)}</a>`).join(' '),
    '</nav>\n</header>\n',
    ...sections,
    '<footer>Made by bert-qe. manifest.json beside this page records the inputs, models, options and versions it was ',
    'made from; runs/, tables/ and figures/ hold everything shown here as files.</footer>\n',
    '</main>\n</body>\n</html>\n',
  ].join('');
}

function tableHtml({ columns, groups, notes }: Table): string {
  // Stars take the same width in every row of their column, so that digits are aligned.
  const starred = columns.map((_, i) => groups.flat().some(({ cells }) => cells[i - 1]?.marks));
  const head = columns.map((name, i) => {
    const label = escapeText(name).replace(' (published)', '<br><small>published</small>');
    return `<th scope="col">${label}${starred[i] ? '<sup></sup>' : ''}</th>`;
  });
  const body = groups.map((rows) => {
    const lines = rows.map(
      ({ label, cells }) =>
        `<tr><th scope="row">${escapeText(label)}</th>` +
        `${cells.map((cell, i) => cellHtml(cell, starred[i + 1])).join('')}</tr>\n`,
    );
    return `<tbody>\n${lines.join('')}</tbody>\n`;
  });
  return (
    `<div class="scroll"><table>\n<thead><tr>${head.join('')}</tr></thead>\n${body.join('')}</table></div>\n` +
    notes.map((note) => `<p class="note">${escapeText(note)}</p>\n`).join('')
  );
}

function cellHtml({ text, marks = '', best, quoted }: Cell, isStarred: boolean): string {
  const shown = best ? `<b>${escapeText(text)}</b>` : escapeText(text);
  const raised = isStarred ? `<sup>${escapeText(marks.trim())}</sup>` : '';
  return `<td${quoted ? ' class="quoted"' : ''}>${shown}${raised}</td>`;
}

const style = `
:root{--paper:#fff;--ink:#1d2330;--muted:#596273;--rule:#dfe3ea;--tint:#f5f7fa;--link:#0b62a8}
@media (prefers-color-scheme:dark){:root{--paper:#14181f;--ink:#e8ebf1;--muted:#a2abba;--rule:#303845;--tint:#1b212b;--link:#6cb6f0}}
body{margin:0;background:var(--paper);color:var(--ink);font:15px/1.5 system-ui,-apple-system,"Segoe UI",sans-serif}
main{max-width:1160px;margin:0 auto;padding:2rem 1.25rem 4rem}
h1{font-size:1.7rem;margin:0 0 1rem}
h2{font-size:1.15rem;margin:2.5rem 0 .6rem}
dl{margin:0;display:grid;gap:.15rem}
dl div{display:grid;grid-template-columns:11rem 1fr}
dt{color:var(--muted)}dd{margin:0}
nav{margin-top:1rem;display:flex;flex-wrap:wrap;gap:.3rem 1.1rem}
a{color:var(--link);text-decoration:none}a:hover{text-decoration:underline}
.scroll{overflow-x:auto}
table{border-collapse:collapse;font-variant-numeric:tabular-nums;min-width:60%}
th,td{padding:.3rem .65rem;text-align:right;white-space:nowrap}
th:first-child{text-align:left;padding-left:.4rem}
tbody th{font-weight:400}
thead th{border-bottom:1.5px solid var(--ink);font-weight:600;vertical-align:bottom}
thead small{font-weight:400;color:var(--muted)}
tbody+tbody tr:first-child>*{border-top:1px solid var(--rule)}
tbody:last-child tr:last-child>*{border-bottom:1.5px solid var(--ink)}
tbody tr:hover{background:var(--tint)}
td.quoted{color:var(--muted);font-style:italic}
sup{display:inline-block;min-width:2em;text-align:left;font-size:.75em;line-height:0}
.note{color:var(--muted);font-size:.87rem;margin:.5rem 0 0;max-width:95ch}
figure{margin:1.5rem 0 0;overflow-x:auto}
figure svg{max-width:100%;height:auto}
footer{margin-top:3rem;padding-top:1rem;border-top:1px solid var(--rule);color:var(--muted);font-size:.87rem}
`;
