/** Tell the bench the port, and from then on the CPU time used whenever it asks; end when the bench does. */
export function reportCpu(port: number, stop: () => Promise<void> = async () => {}) {
  process.on('message', () => process.send?.({ cpu: process.cpuUsage(), rss: process.memoryUsage().rss }));
  process.on('disconnect', () => void stop().finally(() => process.exit(0)));
  process.send?.({ port });
}
