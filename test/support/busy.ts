/** How long this process was at work over something, in milliseconds: on a busy machine a clock would say more. */
export function busyMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
