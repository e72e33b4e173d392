/** The terminal of `signalbox serve` while a page decides. */
import { createInterface } from "node:readline";
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { UserError } from "../../src/app/failure.ts";
import { oneAtATime } from "../../src/http/command.ts";

test.for(["before", "during", "never"])("a decision is carried out where input ends: %s", async (when) => {
  const terminal = createInterface({ input: new PassThrough() });
  const said: string[] = [];
  const deciding = oneAtATime(terminal, ({ text }) => void said.push(text));
  if (when === "before") terminal.close();
  const decided = deciding("accept abcd", () => {
    if (when === "during") terminal.close();
    return Promise.resolve({ message: "abcd is done" });
  });
  expect(await decided).toEqual({ message: "abcd is done" });
  const refused = new UserError("finished", "abcd is over", "signalbox show abcd");
  await expect(deciding("cancel abcd", () => Promise.reject(refused))).rejects.toBe(refused);
  expect(said).toEqual([
    "From the page: accept abcd\n",
    "  abcd is done\n",
    "From the page: cancel abcd\n",
    "  Refused: abcd is over\n",
  ]);
  terminal.close();
});
