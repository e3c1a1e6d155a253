import type { Logger } from 'pino';
import type { OtlpSettings } from './exporter.ts';
import { exportMetrics } from './metrics.ts';
import { exportTraces } from './traces.ts';

/**
 * Exports the traces of this thread over OTLP, and metrics once they are known (docs/observability.md).
 *
 * @returns `metrics` begins their export, given a function that reads them in the text format of Prometheus; `close` exports
 *   what is left
 */
export function openExport(settings: OtlpSettings, log: Pick<Logger, 'warn'>) {
  const closers = [exportTraces(settings, log)];
  return {
    metrics: (text: () => Promise<string>) => void closers.push(exportMetrics(settings, text, log)),
    close: async () => {
      await Promise.all(closers.map((close) => close()));
    },
  };
}
