/** One call of the command line as a person, as a process that can be killed. */
import { run } from "../../../src/cli/run.ts";
import { AT_HOME } from "../../support/procs.ts";

const [cwd = "", ...argv] = process.argv.slice(2);
const { code } = await run(argv, {
  cwd,
  env: process.env,
  procs: AT_HOME,
  startSupervisor: () => undefined,
});
process.exitCode = code;
