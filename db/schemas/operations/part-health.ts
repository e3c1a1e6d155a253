import { z } from 'zod';

const amount = (description: string) => z.number().describe(`${description}; 0 while it is stopped`);

/** The state of one application or adapter, as seen by the process that answers (contract/lifecycle#2). */
export const PartHealth = z
  .looseObject({
    id: z.string().meta({ description: 'Name of the application or adapter', examples: ['orch-east'] }),
    package_id: z.string().meta({ description: 'Its package', examples: ['@vendor/adapter-orchestrator'] }),
    version: z.string().meta({ description: 'Version of that package', examples: ['2026.1.0'] }),
    type: z.enum(['Adapter', 'Application']).describe('Kind of part'),
    description: z.string().describe('Its description; may be empty'),
    routePrefix: z.string().describe('First segment of its paths; may be empty'),
    state: z
      .enum(['RUNNING', 'STOPPED', 'DEAD', 'DELETED'])
      .describe('Its state; while it starts or stops, the previous state'),
    connection: z
      .looseObject({
        state: z.enum(['ONLINE', 'OFFLINE', 'UNKNOWN']).describe('Whether the connected system responds'),
      })
      .describe('Its connection to what it depends on'),
    uptime: amount('Seconds since it was started in this process, with fractions'),
    memoryUsage: z
      .looseObject({
        rss: amount('Total memory of its process, in bytes'),
        heapTotal: amount('Memory reserved for JavaScript objects, in bytes'),
        heapUsed: amount('Memory used by JavaScript objects, in bytes'),
        external: amount('Memory of native objects bound to JavaScript objects, in bytes'),
        arrayBuffers: amount('Memory of array buffers, in bytes'),
      })
      .describe('Memory of its process; each number is below 2³¹'),
    cpuUsage: z
      .looseObject({
        user: amount('Processor time in user code, in microseconds'),
        system: amount('Processor time in the operating system, in microseconds'),
      })
      .describe('Processor time of the process that it runs in'),
    pid: amount('Id of the process that it runs in'),
    logger: z
      .looseObject({
        console: z.string().describe('Log level of the console'),
        file: z.string().describe('Log level of the file'),
        syslog: z.string().describe('Log level of syslog; empty when unused'),
      })
      .describe('Levels of its log'),
    timestamp: z.number().describe('When this was measured, in epoch milliseconds'),
    process: z
      .looseObject({
        state: z
          .enum(['IDLE', 'STARTING', 'RUNNING', 'DEAD'])
          .describe('IDLE: the next call starts it; DEAD: it died too often, or its package does not load'),
        detail: z.string().nullable().describe('Why it is offline or dead'),
        calls: z.int().describe('Calls in flight'),
        waiting: z.int().describe('Calls that wait for one of them to end'),
        dropped: z.int().describe('Results that came after their call had been cancelled or had timed out'),
        deaths: z.int().describe('How often it died within ten minutes; after the fifth time it is DEAD'),
        sent: z.int().describe('Bytes that it sent to other systems'),
        received: z.int().describe('Bytes that it received from them'),
        isolation: z
          .looseObject({
            network: z
              .enum(['namespace', 'guard'])
              .describe('namespace: it has no network of its own; guard: code in it closes the network'),
            reason: z.string().nullable().describe('Why there is no namespace'),
          })
          .nullable()
          .describe('How it is kept from the network; null: none was started yet'),
      })
      .optional()
      .describe('Process of an adapter whose code is a package, where it answers'),
    prevUptime: z.number().describe('Duration of the previous run in seconds; 0 without one'),
  })
  .meta({ id: 'PartHealth', description: 'State of one application or adapter, as measured now.' });
export type PartHealth = z.infer<typeof PartHealth>;
