import { element } from './elements.ts';

/**
 * The account key of this visit. It lives in the field and nowhere else: no storage, no cookie, no address. It goes
 * into the Authorization header of POST /api/svc/compute at this node.
 */
export class KeyField {
  readonly #field = element('input', {
    id: 'account-key',
    type: 'password',
    autocomplete: 'off',
    spellcheck: 'false',
    placeholder: 'svc_ak_…',
    'aria-describedby': 'key-help key-error',
  });
  readonly #error = element('p', { id: 'key-error', class: 'error', role: 'alert' });
  /** Moved into whatever form is shown, with what was typed. */
  readonly element = element(
    'div',
    { class: 'key field' },
    element('label', { for: 'account-key' }, 'Account key'),
    this.#field,
    this.#error,
    element(
      'p',
      { id: 'key-help', class: 'hint' },
      'Computing is charged and sealed, so it takes the key of an account. It stays in the memory of this page. ' +
        'Without one you can search and read; the node computes nothing.',
    ),
    element(
      'details',
      {},
      element('summary', {}, 'Get a key'),
      element('p', {}, 'Whoever runs the node creates it, in its folder:'),
      element(
        'pre',
        { tabindex: '0' },
        'npx svc account create --fuel-hours 1\nnpx svc key create --account z…',
      ),
    ),
  );

  /** The key; undefined after saying at the field what is wrong with it. */
  read(): string | undefined {
    const key = this.#field.value.trim();
    if (/^[\w-]{1,200}$/.test(key)) {
      this.#show('');
      return key;
    }
    this.refuse(
      key === ''
        ? 'Nothing was computed: a key of an account is needed, svc_ak_….'
        : 'A key is letters, digits, _ and -, such as svc_ak_….',
    );
    return undefined;
  }

  refuse(sentence: string): void {
    this.#show(sentence);
    this.#field.focus();
  }

  #show(sentence: string): void {
    this.#error.textContent = sentence;
    this.#field.setAttribute('aria-invalid', String(sentence !== ''));
  }
}
