/** Short names for files: without folder and usual endings, as long as they stay distinct. */
export function labelsOf(files: readonly string[]): Map<string, string> {
  const short = files.map((file) => {
    const base = file.split(/[/\\]/).at(-1)!.replace(/\.gz$/, '');
    return base.replace(/(?<=.)\.(run|res|results|trec|txt)$/, '') || file;
  });
  const distinct = new Set(short).size === new Set(files).size;
  return new Map(files.map((file, i) => [file, distinct ? short[i] : file]));
}
