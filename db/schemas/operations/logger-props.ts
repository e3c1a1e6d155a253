import { z } from 'zod';
import { number, text, textOrNumber } from '../fields.ts';

/** Levels of log lines, most urgent first (contract/lifecycle#9). */
export const LogLevel = z.enum(['error', 'warn', 'info', 'debug', 'trace', 'spam']).meta({
  id: 'LogLevel',
  description: 'Log level: error, warn, info, debug, trace or spam, each including those before it.',
});

const transport = z
  .enum(['file', 'console', 'syslog'])
  .optional()
  .describe('Destination of the log lines; absent: file and console');

/** A log level, in `properties` or at the top level, as clients send it (contract/lifecycle#loglevel). */
export const logLevelFields = {
  properties: z.strictObject({ transport, level: LogLevel }).optional().describe('Level and transport'),
  loglevel: LogLevel.optional().describe('The level, when not in `properties`'),
  transport,
};
export type LogLevelInput = z.infer<z.ZodObject<typeof logLevelFields>>;

const level = (of: string) =>
  text(`Least urgent lines ${of}: error, warn, info, debug, trace or spam`, 'info');

/** A destination of log lines on the network (contract/resources#2.15, #2.16). */
export const Syslog = z
  .looseObject({
    level: level('sent'),
    facility: text('Syslog facility of the lines', 'local0'),
    type: text('Message format: BSD (RFC 3164) or 5424 (RFC 5424)', '5424'),
    path: text('Local socket to write to, in place of host and port', '/dev/log'),
    host: text('Syslog server', 'logs.example.net'),
    port: number('Port of the syslog server', 514),
    protocol: text('Transport: udp4, udp6, tcp4, tls4, unix …', 'udp4'),
    pid: textOrNumber('Process id to put into the lines; absent: that of the server process', 4711),
    localhost: text('Host name to put into the lines; absent: that of the server'),
    app_name: text('Program name to put into the lines', 'switchyard'),
    eol: text('End of line to add where the transport needs one', '\n'),
  })
  .meta({ id: 'Syslog', description: 'Where log lines are sent on the network.' });

/** Settings that all logs of the platform share (contract/resources#2.15, #2.16). */
const log = {
  description: text('Description of the settings'),
  log_directory: text('Folder of the log files', '/var/log/switchyard'),
  log_filename: text('Name of the log file', 'switchyard.log'),
  log_max_file_size: number('Size at which a new log file is started, in bytes', 1048576),
  log_max_files: number('Maximum number of log files; the oldest is deleted', 100),
  log_level: level('written to the file'),
  console_level: level('written to the console'),
  log_timezone_offset: number('Offset of the times in the file from UTC, in hours', 0),
  syslog: Syslog.optional(),
};

/** Log settings of an application or adapter (contract/resources#2.16). */
export const LoggerProps = z
  .looseObject({
    ...log,
    metrics_filename: text('Name of the metrics file', 'metrics.log'),
    metrics_max_files: number('Maximum number of metrics files', 10),
    metrics_rotation_interval: textOrNumber('Time after which a new metrics file is started', '1d'),
    metrics_rotation_size: textOrNumber('Size at which a new metrics file is started', '10M'),
  })
  .meta({ id: 'LoggerProps', description: 'Log settings of an application or adapter.' });

/** Log settings of the platform itself (contract/resources#2.15 loggerProps). */
export const ProfileLoggerProps = z
  .looseObject({
    ...log,
    webserver: z
      .looseObject({
        log_directory: text('Folder of the access log', '/var/log/switchyard'),
        log_filename: text('Name of the access log', 'access.log'),
      })
      .optional()
      .describe('Log of the HTTP requests'),
  })
  .meta({ id: 'ProfileLoggerProps', description: 'Log settings of the platform.' });
