/** The terminal of `signalbox serve` while a page decides. */
import { createInterface } from "node:readline";
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { oneAtATime } from "../../src/http/command.ts";

test.for(["before", "during", "never"])("a decision is carried out where input ends: %s", async (when) => {
  const terminal = createInterface({ input: new PassThrough() });
  const said: string[] = [];
  const deciding = oneAtATime(terminal, ({ text }) => void said.push(text));
  if (when === "before") terminal.close();
  const decided = deciding("accept abcd", () => {
    if (when === "during") terminal.close();
    return Promise.resolve("accepted");
  });
  expect(await decided).toBe("accepted");
  expect(await deciding("cancel abcd", () => Promise.resolve("cancelled"))).toBe("cancelled");
  expect(said).toEqual(["From the page: accept abcd\n", "From the page: cancel abcd\n"]);
  terminal.close();
});
