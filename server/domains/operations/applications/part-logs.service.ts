import { sql } from 'drizzle-orm';
import type { Logger } from 'pino';
import { type Database, rows } from '#db/client.ts';
import type { LogOf } from '#server/kernel/platform.ts';
import { type Level, levelOfPart } from './governing.ts';

/** Parts with a log of their own: the areas of the platform, and the connections to other systems. */
type LogSource = 'application' | 'adapter';

/**
 * Returns the logs of applications and adapters: each line names its part, at the level of its `loggerProps`
 * (decision 0021).
 *
 * @returns `logOf`, and `follow`, to be called whenever the log's own level or the settings of a part may have changed
 */
export function openPartLogs(db: Database, log: Logger) {
  const logs: Record<LogSource, Map<string, Logger>> = { application: new Map(), adapter: new Map() };
  let levels: Record<LogSource, ReadonlyMap<string, Level>> = { application: new Map(), adapter: new Map() };
  let latest = 0;

  const set = (kind: LogSource, name: string, part: Logger) => {
    const level = levels[kind].get(name) ?? log.level;
    if (part.level !== level) part.level = level;
  };
  const setAll = () => {
    for (const kind of ['application', 'adapter'] as const)
      for (const [name, part] of logs[kind]) set(kind, name, part);
  };
  const logOf: LogOf = (kind, name) => {
    const known = logs[kind].get(name);
    if (known) return known;
    const part = log.child({ [kind]: name });
    logs[kind].set(name, part);
    set(kind, name, part);
    return part;
  };
  const follow = async () => {
    latest += 1;
    const mine = latest;
    setAll();
    const read = await readLevels(db);
    // Two reads may end in another order than they began: the later one is newer.
    if (mine !== latest) return;
    levels = read;
    setAll();
  };
  return { logOf, follow };
}

async function readLevels(db: Database) {
  const found = await rows<{ kind: LogSource; id: string; file: string | null; console: string | null }>(
    db,
    sql`select 'application' as kind, id, doc #>> '{loggerProps,log_level}' as file,
          doc #>> '{loggerProps,console_level}' as console from applications
        union all
        select 'adapter', id, doc #>> '{loggerProps,log_level}', doc #>> '{loggerProps,console_level}' from adapters`,
  );
  const levels = { application: new Map<string, Level>(), adapter: new Map<string, Level>() };
  for (const { kind, id, file, console } of found) {
    const level = levelOfPart({ log_level: file, console_level: console });
    if (level) levels[kind].set(id, level);
  }
  return levels;
}
