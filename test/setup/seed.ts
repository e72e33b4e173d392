/**
 * Chooses one seed for all random tests of a run, and says it.
 *
 * `npm test` draws the same lots every time, so that it is red for what was changed and for nothing else; `npm run test:deep`
 * draws new ones. SIGNALBOX_SEED=N repeats a run.
 */

const EVERY_DAY = 20_261_115;

export function setup(): void {
  const isDeep = process.env["SIGNALBOX_DEEP"] !== undefined;
  process.env["SIGNALBOX_SEED"] ??= String(isDeep ? Date.now() & 0x7fff_ffff : EVERY_DAY);
  console.log(`Random tests: seed ${process.env["SIGNALBOX_SEED"]} (SIGNALBOX_SEED=N repeats them)`);
}
