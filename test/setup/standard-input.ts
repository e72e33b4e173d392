/** A command that a test runs in its own process reads an empty standard input. */
import { closeStandardInput } from "../support/standard-input.ts";

closeStandardInput();
