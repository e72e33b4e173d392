/** How long this process was at work over something, in milliseconds: on a busy machine a clock would say more. */
export async function busyMs(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
