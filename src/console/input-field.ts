import { type Quantity, quantityText, readQuantity } from '../units/quantity.ts';
import { element } from './elements.ts';
import { figureText, unitText } from './figures.ts';
import { setInType, symbolLatex } from './formula.ts';
import type { Input } from './node-api.ts';

/** One input of an operator: what it is, what it takes, what was typed and what is wrong with it. */
export class InputField {
  readonly symbol: string;
  readonly element: HTMLElement;
  readonly #input: Input;
  readonly #field: HTMLInputElement;
  readonly #error: HTMLElement;

  constructor(input: Input, accepts: string) {
    this.#input = input;
    this.symbol = input.symbol;
    const [field, hint, error] = ['input', 'hint', 'error'].map((part) => `${part}-${input.symbol}`);
    this.#error = element('p', { id: error, class: 'error', role: 'alert' });
    this.#field = element('input', {
      id: field,
      name: input.symbol,
      type: 'text',
      autocomplete: 'off',
      autocapitalize: 'off',
      spellcheck: 'false',
      required: input.role === 'required',
      placeholder: standIn(input),
      'aria-describedby': `${hint} ${error}`,
    });
    this.#field.addEventListener('input', () => this.refuse(''));
    this.element = element(
      'div',
      { class: 'input field' },
      element(
        'label',
        { for: field },
        setInType(element('span', { class: 'symbol' }), symbolLatex(input.symbol)),
        ` ${input.meaning}`,
      ),
      this.#field,
      this.#error,
      element('p', { id: hint, class: 'hint' }, `${domainText(input, accepts)}.`, ...roleText(input)),
    );
  }

  fill(quantity: Quantity | undefined): void {
    this.#field.value = quantity === undefined ? '' : quantityText(quantity, this.#input.unit);
    this.refuse('');
  }

  /** What was typed; undefined where nothing was. Throws a RangeError with a sentence. */
  read(): Quantity | undefined {
    return this.#field.value.trim() === '' ? undefined : readQuantity(this.#field.value);
  }

  /** Shows a sentence at the field; an empty one takes it away. */
  refuse(sentence: string): void {
    this.#error.textContent = sentence;
    this.#field.setAttribute('aria-invalid', String(sentence !== ''));
  }

  focus(): void {
    this.#field.focus();
  }
}

/** The domain in words, with the unit as people write it. */
function domainText({ unit }: Input, accepts: string): string {
  if (unit === 'any') return `${accepts} in any unit`;
  const words = accepts.endsWith(` ${unit}`) ? accepts.slice(0, -unit.length - 1) : accepts;
  return unit === '1' ? `${words}, a pure number` : `${words}, in ${unitText(unit)} or what converts to it`;
}

function roleText({ symbol, aliases, role, when, because }: Input): (Node | string)[] {
  const names = [symbol, ...aliases].flatMap((name, i) => [i > 0 ? ', ' : '', element('code', {}, name)]);
  const left = {
    required: '',
    conditional: ` Needed when ${when}.`,
    assumed: ` Left empty it is assumed: ${because}.`,
    optional: ' Left empty its term vanishes.',
  }[role];
  return [left, element('span', { class: 'names' }, ' Called ', ...names, '.')];
}

function standIn({ role, value, unit }: Input): string | undefined {
  if (value === undefined) return role === 'conditional' ? 'only in the case named' : undefined;
  return `${figureText(Number(value))} ${unitText(unit)}`.trim();
}
