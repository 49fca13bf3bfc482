/** Long text in lines of a page. */
export function wrapped(text: string, width = 100): string {
  return text.match(new RegExp(`.{1,${width}}`, 'gu'))!.join('\n');
}
