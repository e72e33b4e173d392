/** Exit codes of the command line; every outcome and failure of a use case has one. */

export const EXIT_OK = 0;
export const EXIT_FAILED = 1;
export const EXIT_USAGE = 2;
export const EXIT_WAITING = 3;
export const EXIT_NOT_YOURS = 4;
export const EXIT_GATE = 5;
export const EXIT_CONFLICT = 6;
export const EXIT_UNTRUSTED = 7;
export const EXIT_DAMAGED = 8;
export const EXIT_BUG = 70;
export const EXIT_INTERRUPTED = 130;
export const EXIT_TERMINATED = 143;
