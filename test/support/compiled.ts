/** For the environment of a process that runs these sources: what one of them has compiled, the next need not. */
export const COMPILED: Readonly<Record<string, string>> = {
  NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] ?? "",
};
