/** However often it was encoded: more than this many times is no path of ours. */
const LAYERS = 4;

/**
 * The path of a URL as it may stand in a log: without the query, which may hold a signature, and without a key in a
 * place that is none of its own, spelled as it may be. What follows a key is left out with it.
 */
export function pathForLog(url: string): string {
  const path = url.split('?', 1)[0]!;
  let plain = path;
  for (let layer = 0; layer < LAYERS; layer++) plain = decoded(plain);
  const isTooDeep = decoded(plain) !== plain;
  if (isTooDeep) plain = path.split('%', 1)[0]!;
  const key = plain.search(/svc_ak_/i);
  if (key >= 0) return `${plain.slice(0, key).replace(/[^!-~]/g, '?')}svc_ak_…`;
  return isTooDeep ? `${plain}…` : path;
}

const decoded = (text: string): string =>
  text.replace(/%([0-9a-f]{2})/gi, (_, digits) => String.fromCharCode(Number.parseInt(digits, 16)));
