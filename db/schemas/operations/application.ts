import { z } from 'zod';
import { flag, number, text, texts } from '../fields.ts';
import { LoggerProps } from './logger-props.ts';

/** Whether a stored configuration is in effect (contract/resources#2.15, #2.16). */
export const Activity = z
  .looseObject({
    isActive: z.boolean().describe('True when the service uses this configuration now'),
    activeSync: flag('True when the stored settings are in use; false until the next start applies them'),
  })
  .meta({ id: 'Activity', description: 'Whether a stored configuration is in use.' });

/** Settings for dropping repeated events of an application (contract/resources#2.16). */
export const ApplicationEventDeduplication = z
  .looseObject({
    active: flag('True drops events that were seen before'),
    cacheTtl: number('Time for which an event is remembered, in milliseconds', 60000),
    algorithm: text('Digest that tells events apart', 'md5'),
    uniqueProps: texts('JSON pointers to the fields that identify an event', ['/id']),
  })
  .meta({ id: 'ApplicationEventDeduplication', description: 'Which repeated events an application drops.' });

/** An application: a part of the platform with its own settings (contract/resources#2.16). */
export const Application = z
  .looseObject({
    name: z.string().meta({ description: 'Name of the application', examples: ['OperationsManager'] }),
    type: text('Kind of part', 'Application'),
    model: text('Package of the application', '@vendor/app-operations_manager'),
    isEncrypted: flag('True when the stored settings are encrypted'),
    loggerProps: LoggerProps.optional(),
    properties: z
      .looseObject({
        id: text('Name of the application within its settings', 'OperationsManager'),
        type: text('Kind of the settings', 'OperationsManager'),
        brokers: texts('Kinds of adapter that the application works with', ['device', 'aaa']),
        groups: texts('Ids of the groups that may use the application'),
      })
      .optional()
      .describe('Settings of the application'),
    profiling: flag('True profiles processor time'),
    virtual: flag('True when the application has no process of its own'),
    systemProps: z
      .looseObject({ maxOldSpaceSize: number('Memory limit for objects, in MiB', 2048) })
      .optional()
      .describe('Limits of the process'),
    eventDeduplication: ApplicationEventDeduplication.optional(),
  })
  .meta({ id: 'Application', description: 'A part of the platform, with its settings.' });
export type Application = z.infer<typeof Application>;

/** An application as shown in lists and reads (contract/resources#2.16, contract/endpoints#4.22). */
export const ApplicationEntry = z
  .looseObject({ metadata: Activity, data: Application })
  .meta({ id: 'ApplicationEntry', description: 'An application, and whether these settings are in use.' });
export type ApplicationEntry = z.infer<typeof ApplicationEntry>;
