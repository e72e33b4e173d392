/** Values in a definition: a text, a number or a boolean. */

export type Literal = string | number | boolean;

/** A constant, or the name of a parameter whose value the run fixed at its start. */
export type Value<T extends Literal = Literal> = T | { readonly param: string };

/** The values of a run's parameters, by name. */
export type ParamValues = Readonly<Record<string, Literal>>;
