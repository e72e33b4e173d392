/** Checks one product in a process of its own, and says how long it took. */

import { check } from "../../src/core/check/check.ts";
import { productOf } from "./product.ts";

const WARM_TIMES = 3;

const [warm, max] = process.argv.slice(2).map(Number);
if (warm === undefined || max === undefined) throw new Error("usage: node bench/check/process.ts WARM MAX");

// The machine code is ready before the clock runs, for the small product as for the large.
for (let time = 0; time < WARM_TIMES; time += 1) check(productOf(warm));
const workflow = productOf(max);
const begin = performance.now();
const { nodes, edges, defects } = check(workflow);
const seconds = (performance.now() - begin) / 1000;
console.log(JSON.stringify({ nodes, edges, seconds, defects: defects.map(({ message }) => message) }));
