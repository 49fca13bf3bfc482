import { described, element } from './elements.ts';
import { figureText, spreadText, unitText } from './figures.ts';
import type { Example } from './node-api.ts';

/** The part of a sealed answer that is shown; what was downloaded has all of it. */
interface Answer {
  readonly value: number;
  readonly unit: string | null;
  /** One standard uncertainty, in the unit of the value. */
  readonly uncertainty: number;
  readonly unitUnknown?: readonly string[];
  /** That the value was integrated, where there is no closed form. */
  readonly note?: string;
  readonly assumed: readonly { name: string; value: number; unit: string; because: string }[];
  readonly warnings: readonly string[];
  readonly charges: { readonly price_plancks: string };
  readonly envelope: {
    readonly tick: number;
    readonly valueBits: string;
    readonly precisionActual: number;
    readonly precisionBound: number;
    readonly engine_version: string;
  } | null;
  readonly receipt: { readonly log: { readonly index: number; readonly checkpoint: string } } | null;
  readonly gates: readonly { name: string; relError: number; bound: number }[];
}

/** Value, unit, uncertainty, precision, assumptions and receipt of a sealed answer. `text` is the answer as it came. */
export function answerPanel(text: string, example: Example | undefined): HTMLElement {
  const answer: Answer = JSON.parse(text);
  return element(
    'section',
    { class: 'answer', 'aria-label': 'Result' },
    headline(answer),
    example && comparison(answer, example),
    element(
      'dl',
      {},
      described('Exactly', `${answer.value}`, ` (bits ${answer.envelope?.valueBits ?? 'not sealed'})`),
      described('Unit', unitSentence(answer)),
      described('Uncertainty', uncertaintySentence(answer)),
      described('Precision', precisionSentence(answer)),
      described('Assumed', assumptions(answer)),
      described('Note', answer.note),
      described('Warnings', ...answer.warnings),
      described('Charged', `${answer.charges.price_plancks} plancks, each 1 ns of the reference core`),
    ),
    receiptPart(answer, text),
  );
}

function headline({ value, unit, uncertainty }: Answer): HTMLElement {
  const isShown = uncertainty > 1e-9 * Math.abs(value);
  const words = isShown ? `(${spreadText(value, uncertainty)})` : figureText(value, 10);
  return element(
    'p',
    { class: 'value', id: 'value' },
    words,
    element('span', { class: 'unit' }, ` ${unitText(unit)}`),
  );
}

function comparison({ value, unit }: Answer, example: Example): HTMLElement | undefined {
  if (unit !== example.unit) return undefined;
  const scale = example.value === 0 ? 1 : Math.abs(example.value);
  const agrees = Math.abs(value - example.value) <= Math.max(example.tolerance, 1e-15) * scale;
  return element(
    'p',
    { class: agrees ? 'agrees' : 'error' },
    `${agrees ? 'As' : 'Not as'} the worked example has it: ${figureText(example.value)} ${unitText(example.unit)}, ` +
      `from ${example.source}`,
  );
}

function unitSentence({ unit, unitUnknown = [] }: Answer): string {
  if (unit === null)
    return `withheld: it cannot be known without the unit of ${unitUnknown.join(', ')}; type the value with one`;
  return unit === '1' ? 'a pure number' : unitText(unit);
}

function uncertaintySentence({ uncertainty, unit }: Answer): string {
  if (uncertainty === 0) return 'none: every number that went in is exact, and so is the arithmetic';
  return `${figureText(uncertainty, 3)} ${unitText(unit)}, one standard uncertainty from inputs, constants and rounding`;
}

function precisionSentence({ envelope, gates }: Answer): string {
  if (!envelope) return 'not sealed';
  const { precisionActual, precisionBound } = envelope;
  const held = gates.map(({ name, relError }) => `${name} ${figureText(relError, 2)}`).join(', ');
  return `held to ${figureText(precisionActual, 2)}, allowed ${figureText(precisionBound, 2)} (gates: ${held})`;
}

function assumptions({ assumed }: Answer): HTMLElement | undefined {
  if (assumed.length === 0) return undefined;
  const line = ({ name, value, unit, because }: Answer['assumed'][number]) =>
    element(
      'li',
      {},
      element('code', {}, name),
      ` = ${figureText(value)} ${unitText(unit)}`.trimEnd(),
      `: ${because}`,
    );
  return element('ul', {}, ...assumed.map(line));
}

// ---- the receipt ---------------------------------------------------------------------------------------

function receiptPart({ envelope, receipt }: Answer, text: string): HTMLElement {
  if (!envelope || !receipt)
    return element('p', { class: 'error' }, 'Sealing failed: there is no receipt, and nothing was charged.');
  const { index, checkpoint } = receipt.log;
  const [origin = '', size = ''] = checkpoint.split('\n');
  const verdict = element('div', { class: 'verdict', role: 'status' });
  const check = element('button', { type: 'button' }, 'Verify the receipt here');
  check.addEventListener('click', () => void verify(text, verdict, check));
  return element(
    'section',
    { class: 'receipt', 'aria-label': 'Receipt' },
    element('h3', {}, 'Receipt'),
    element(
      'p',
      {},
      `Leaf ${index} of the log of ${origin}, under a signed checkpoint of ${size} ` +
        `${size === '1' ? 'leaf' : 'leaves'}; tick ${envelope.tick}, engine ${envelope.engine_version}.`,
    ),
    element('p', { class: 'actions' }, check, download(text)),
    verdict,
    element(
      'details',
      {},
      element('summary', {}, 'Verify it without this page, offline'),
      element(
        'pre',
        { tabindex: '0' },
        'npx svc verify answer.json   # 0 sound, 1 not sound\nnpx svc rerun answer.json    # the same kernels again',
      ),
      element('p', {}, 'The checkpoint, as it is signed:'),
      element('pre', { tabindex: '0' }, checkpoint),
    ),
  );
}

function download(text: string): HTMLElement {
  const href = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  return element('a', { class: 'button', href, download: 'answer.json' }, 'Download answer.json');
}

/** Loads the verifier, which nobody needs before, and says what it finds. */
async function verify(text: string, into: HTMLElement, button: HTMLButtonElement): Promise<void> {
  button.disabled = true;
  into.replaceChildren('Verifying …');
  try {
    const { checkReceipt } = await import('./check-receipt.ts');
    const { sound, verdict, detail, checks, unchecked } = await checkReceipt(text);
    const made = `${checks.filter(({ ok }) => ok).length} of ${checks.length} checks hold.`;
    into.replaceChildren(
      element('p', {}, element('strong', { class: sound ? 'sound' : 'unsound' }, verdict), ` ${detail}`),
      element(
        'p',
        { class: 'hint' },
        `${made} The key was asked of this node; a stranger pins it beforehand. `,
        unchecked.length > 0
          ? `Not in the file: ${unchecked.map((each) => `${each.where} (${each.detail})`).join('; ')}.`
          : '',
      ),
    );
  } catch (error) {
    into.replaceChildren(
      element('p', { class: 'error' }, `It could not be verified here: ${(error as Error).message}`),
    );
  } finally {
    button.disabled = false;
  }
}
