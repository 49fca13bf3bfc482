/**
 * What every refusal is: one line of characters that are seen, from left to right. No control or format character, no mark above another,
 * no white space but the space, no script that turns the direction.
 */
export const plainSentence =
  /^(?:(?![\p{C}\p{M}\p{Z}\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]).| )+$/u;
