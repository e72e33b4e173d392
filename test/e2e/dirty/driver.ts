/** What is due in a state home, as a process that can be killed. */
import { homeAt } from "../../../src/adapters/home/paths.ts";
import { carryOut } from "./carry-out.ts";

await carryOut(homeAt(process.argv[2] ?? ""));
