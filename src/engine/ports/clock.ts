/** Time, as the engine is given it. */

/** Milliseconds since 1970. Order comes from sequence numbers, never from this. */
export type Clock = {
  now(): number;
  /** Milliseconds that only go forward, and stand still while the machine sleeps. */
  mono(): number;
};
