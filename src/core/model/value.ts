/** What a definition says where a word, a number or yes and no can stand. */

export type Literal = string | number | boolean;

/** A constant, or the name of a parameter whose value the run fixed at its start. */
export type Value<T extends Literal = Literal> = T | { readonly param: string };
