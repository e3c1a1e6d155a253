import { readConfig } from '#server/config.ts';
import { openLog } from '#server/log.ts';
import { startService } from '#server/start.ts';
import { reportCpu } from './report.ts';

const running = await startService(readConfig(process.env), openLog('error'), () => {});
reportCpu(Number(new URL(running.url).port), running.stop);
