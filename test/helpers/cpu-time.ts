/** CPU that this process has used, in milliseconds: what is bounded in work is held against it, whoever else uses the machine. */
export function cpuTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
