/**
 * A plot of fields by name: one curve per y against x, or a heat map; `name[k]` is column k of a field of rows. Surfaces
 * draw it, nothing computes.
 */
export type Plot =
  | { readonly kind: 'line'; readonly title: string; readonly x: string; readonly y: readonly string[] }
  | { readonly kind: 'points'; readonly title: string; readonly x: string; readonly y: string }
  | { readonly kind: 'map'; readonly title: string; readonly field: string };
