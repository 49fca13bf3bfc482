/** What is made of a thing once and kept as long as the thing: a question finds tables, it builds none. */
export function onceFor<Key extends object, Made>(make: (key: Key) => Made): (key: Key) => Made {
  const made = new WeakMap<Key, { readonly made: Made }>();
  return (key) => {
    let kept = made.get(key);
    if (!kept) {
      kept = { made: make(key) };
      made.set(key, kept);
    }
    return kept.made;
  };
}
