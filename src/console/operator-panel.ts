import { type Quantity, quantityText } from '../units/quantity.ts';
import type { KeyField } from './account-key.ts';
import { answerPanel } from './answer-panel.ts';
import { described, element } from './elements.ts';
import { figureText, unitText } from './figures.ts';
import { setInType, symbolLatex } from './formula.ts';
import { InputField } from './input-field.ts';
import {
  type Component,
  type ComputeRequest,
  compute,
  type Example,
  type Known,
  type NodeError,
  type Row,
  type Specification,
} from './node-api.ts';

/** One operator: its formula, what it asks for, and a form that computes it. */
export function operatorPanel(row: Row, { accepts, fixed }: Specification, key: KeyField): HTMLElement {
  return element(
    'article',
    {},
    element('p', { class: 'kicker' }, element('code', {}, row.id), ` · ${row.category.replaceAll('_', ' ')}`),
    element('h2', { id: 'operator-name', tabindex: '-1' }, row.name),
    element('p', {}, row.description),
    setInType(element('div', { class: 'formula', tabindex: '0' }), row.equation, true),
    element(
      'dl',
      { class: 'facts' },
      described('Gives', resultText(row)),
      described('Integrates', integrated(row)),
      described('With', knownNumbers(fixed)),
      described('Holds', row.validity),
      described('Only where', row.conditions?.map(({ meaning }) => meaning).join('; ')),
      described('Source', row.source),
    ),
    row.refuses !== undefined ? refusal(row) : new ComputeForm(row, accepts, key).element,
  );
}

function resultText({ result: { symbol, meaning, unit } }: Row): HTMLElement {
  const inUnit = { derived: ', in the unit that follows from the inputs', '1': ', a pure number' }[unit];
  return element(
    'span',
    {},
    setInType(element('span', { class: 'symbol' }), symbolLatex(symbol)),
    ` ${meaning}${inUnit ?? `, in ${unitText(unit)}`}`,
  );
}

function knownNumbers(fixed: readonly Known[]): HTMLElement | undefined {
  if (fixed.length === 0) return undefined;
  const line = ({ symbol, meaning, numeral, unit }: Known) =>
    element(
      'li',
      {},
      element('code', {}, symbol),
      ` = ${figureText(Number(numeral))} ${unitText(unit)}`.trimEnd(),
      `, ${meaning}`,
    );
  return element('ul', {}, ...fixed.map(line));
}

/** The system of first order that stands for an equation without closed form. */
function integrated({ ode }: Row): HTMLElement | undefined {
  if (!ode) return undefined;
  const line = ({ symbol, meaning, start, rate }: Component) =>
    element(
      'li',
      {},
      element('code', {}, `d ${symbol}/d ${ode.variable} = ${rate}`),
      `, ${meaning}, which starts at `,
      element('code', {}, start),
    );
  return element('ul', {}, ...ode.components.map(line));
}

const refusal = ({ refuses }: Row): HTMLElement =>
  element(
    'p',
    { class: 'notice' },
    `This is ${refuses}, and an envelope carries one number: it is here to be read, and refused by compute.`,
  );

class ComputeForm {
  readonly element: HTMLFormElement;
  readonly #row: Row;
  readonly #fields: readonly InputField[];
  readonly #key: KeyField;
  readonly #button = element('button', { type: 'submit', class: 'primary' }, 'Compute');
  readonly #output = element('div', { id: 'output', 'aria-live': 'polite' });
  readonly #error = element('p', { id: 'form-error', class: 'error', role: 'alert' });

  constructor(row: Row, accepts: ReadonlyMap<string, string>, key: KeyField) {
    this.#row = row;
    this.#key = key;
    this.#fields = row.inputs.map((input) => new InputField(input, accepts.get(input.symbol) ?? 'a number'));
    this.element = element(
      'form',
      { novalidate: true, 'aria-label': `Compute ${row.name}` },
      element('h3', {}, 'Inputs'),
      element(
        'div',
        { class: 'fields' },
        ...(this.#fields.length > 0 ? this.#fields.map((field) => field.element) : ['It takes none.']),
      ),
      this.#examples(),
      key.element,
      element('p', { class: 'actions' }, this.#button),
      this.#error,
      this.#output,
      this.#curl(),
    );
    this.element.addEventListener('submit', (event) => {
      event.preventDefault();
      void this.#compute();
    });
    this.#fill(row.examples[0]);
  }

  #fill(example: Example | undefined): void {
    const values = new Map(Object.entries(example?.inputs ?? {}));
    const named = (symbol: string, aliases: readonly string[]) =>
      [symbol, ...aliases].map((name) => values.get(name)).find((value) => value !== undefined);
    this.#row.inputs.forEach(({ symbol, aliases }, i) => {
      this.#fields[i]!.fill(named(symbol, aliases));
    });
  }

  /** Where the prefilled values are from, and a button for each further example. */
  #examples(): HTMLElement | undefined {
    const { examples } = this.#row;
    if (examples.length === 0) return undefined;
    const buttons = examples.map((example, i) => {
      const words = examples.length > 1 ? `Worked example ${i + 1}` : 'Worked example again';
      const button = element('button', { type: 'button', class: 'quiet', title: example.source }, words);
      button.addEventListener('click', () => this.#fill(example));
      return button;
    });
    return element('p', { class: 'examples' }, 'Filled in from a worked example. ', ...buttons);
  }

  /** What was typed; undefined after saying at a field what is wrong with it. */
  #inputs(): Record<string, Quantity> | undefined {
    const inputs: Record<string, Quantity> = {};
    const wrong: InputField[] = [];
    for (const field of this.#fields) {
      try {
        const quantity = field.read();
        if (quantity !== undefined) inputs[field.symbol] = quantity;
      } catch (error) {
        field.refuse((error as Error).message);
        wrong.push(field);
      }
    }
    wrong[0]?.focus();
    return wrong.length > 0 ? undefined : inputs;
  }

  async #compute(): Promise<void> {
    this.#error.textContent = '';
    const inputs = this.#inputs();
    const key = inputs && this.#key.read();
    if (key === undefined || !inputs) {
      this.#output.replaceChildren(); // No value stands beside inputs that it is not of.
      return;
    }
    this.#button.disabled = true;
    this.#output.setAttribute('aria-busy', 'true');
    try {
      const text = await compute({ operators: [this.#row.id], inputs }, key);
      this.#output.replaceChildren(answerPanel(text, this.#exampleOf(inputs)));
    } catch (error) {
      this.#output.replaceChildren();
      this.#refuse(error as NodeError);
    } finally {
      this.#button.disabled = false;
      this.#output.removeAttribute('aria-busy');
    }
  }

  /** The sentence of the node, at the field that it is about. */
  #refuse({ status, field, message }: NodeError): void {
    const path = field?.split('.');
    const about = path?.[0] === 'inputs' && this.#fields.find(({ symbol }) => symbol === path[1]);
    if (about) {
      about.refuse(message);
      about.focus();
    } else if (status === 401) this.#key.refuse(message);
    else this.#error.textContent = message;
  }

  /** The worked example that has just these inputs. */
  #exampleOf(inputs: Readonly<Record<string, Quantity>>): Example | undefined {
    const asText = (given: Readonly<Record<string, Quantity>>) =>
      this.#row.inputs
        .map(({ symbol, aliases, unit }) => {
          const name = [symbol, ...aliases].find((each) => Object.hasOwn(given, each));
          return name === undefined ? '' : quantityText(given[name]!, unit);
        })
        .join('\n');
    const sent = asText(inputs);
    return this.#row.examples.find((example) => asText(example.inputs) === sent);
  }

  /** The same request for a terminal, with what is in the fields when it is opened. */
  #curl(): HTMLElement {
    const command = element('pre', { tabindex: '0' });
    const details = element('details', {}, element('summary', {}, 'The same by curl'), command);
    details.addEventListener('toggle', () => {
      command.textContent = curlText({ operators: [this.#row.id], inputs: this.#readable() });
    });
    return details;
  }

  #readable(): Record<string, Quantity> {
    const inputs: Record<string, Quantity> = {};
    for (const field of this.#fields) {
      try {
        const quantity = field.read();
        if (quantity !== undefined) inputs[field.symbol] = quantity;
      } catch {
        // shown at the field when it is computed
      }
    }
    return inputs;
  }
}

function curlText(request: ComputeRequest): string {
  const body = JSON.stringify(request).replaceAll("'", '\\u0027');
  return [
    `curl -s ${location.origin}/api/svc/compute \\`,
    '  -H "Authorization: Bearer $KEY" -H "Content-Type: application/json" \\',
    `  -d '${body}'`,
  ].join('\n');
}
