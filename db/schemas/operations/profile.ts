import { z } from 'zod';
import { flag, number, text, textOrNull, texts } from '../fields.ts';
import { Activity } from './application.ts';
import { ProfileLoggerProps } from './logger-props.ts';
import { AlarmReceiver, Rabbitmq, RedisProps } from './profile-broker.ts';
import { AuthenticationProps, ExpressProps, UiProps } from './profile-web.ts';

const description = text('Description of the settings');

const systemProps = z
  .looseObject({
    shutdownTimeout: number('Time limit for stopping parts, in seconds', 3),
    servicesBlacklist: texts('Parts that are not started'),
    launchDelay: number('Pause between the start of two parts, in seconds', 1),
    launchTimeout: number('Time limit for starting a part, in seconds', 600),
    deadProcessCheck: flag('True checks for parts without heartbeat'),
    deadProcessCheckInterval: number('Interval between two checks, in seconds', 5),
    deadProcessMaxPeriod: number(
      'Time without heartbeat after which a part is treated as failed, in seconds',
      15,
    ),
    externalRequestTimeout: number('Response timeout of an external service, in seconds', 5),
  })
  .describe('Starting, stopping and watching the parts of the platform');

const repositoryAccess = z
  .looseObject({
    enabled: flag('True offers packages from this repository'),
    type: text('Kind of server: gitlab, github', 'gitlab'),
    hostname: text('Server of the repository', 'git.example.net'),
    path: text('Path of the group of packages on that server', '/network/packages'),
    credentials: z
      .looseObject({ token: textOrNull('Access token; read as <ACCESS_TOKEN>', '<ACCESS_TOKEN>') })
      .optional()
      .describe('How to sign in there'),
  })
  .describe('A repository of packages');

/** Settings of the whole platform (contract/resources#2.15); secrets are shown as placeholders. */
export const Profile = z
  .looseObject({
    id: z
      .string()
      .min(1)
      .meta({ description: 'Name of the profile, unique', examples: ['lab'] }),
    description: text('Purpose of the profile'),
    services: texts('Applications and adapters that run with this profile', [
      'OperationsManager',
      'orch-east',
    ]),
    applicationProps: z
      .looseObject({ description, directory: text('Folder that applications are loaded from') })
      .optional()
      .describe('Where applications come from'),
    uiProps: UiProps.optional(),
    authenticationProps: AuthenticationProps.optional(),
    expressProps: ExpressProps.optional(),
    loggerProps: ProfileLoggerProps.optional(),
    redisProps: RedisProps.optional(),
    auditProps: z
      .looseObject({
        description,
        audit: flag('True records every write in the audit log'),
        brokerValidation: flag('True validates responses of adapters against their schemas'),
      })
      .optional()
      .describe('Recording and checking'),
    pathProps: z
      .looseObject({ description, encrypted: flag('True when paths in this profile are stored encrypted') })
      .optional()
      .describe('Storage of paths'),
    alarmProps: z.array(AlarmReceiver).optional().describe('Receivers of SNMP notifications'),
    rabbitmq: Rabbitmq.optional(),
    adapterStrategy: z
      .looseObject({
        device: z
          .looseObject({
            adapterTypes: texts('Adapter models used for devices, in this order', [
              'Orchestrator',
              'Gateway',
            ]),
            exceptions: z
              .looseObject({ runCommand: text('Adapter model that runs commands instead', 'Gateway') })
              .optional()
              .describe('Operations that use another adapter'),
          })
          .optional()
          .describe('Adapters used for devices'),
      })
      .optional()
      .describe('Routing of operations to adapters'),
    systemProps: systemProps.optional(),
    prebuiltProps: z
      .looseObject({
        repoConfigs: z
          .record(z.string(), repositoryAccess)
          .optional()
          .describe('Repositories of packages, by the scope of the package names (@network)'),
      })
      .optional()
      .describe('Where packages come from'),
    integrationProps: z
      .looseObject({
        threadCount: number('Number of threads that call integrations', 2),
        timeout: number('Response timeout of an integration, in seconds', 15),
      })
      .optional()
      .describe('Calling integrations'),
    retryStrategy: z
      .looseObject({
        maxRetries: number('Automatic retries of an adapter whose target does not respond', 5),
        retryResetTimer: number(
          'Time without failure after which the count is reset, in milliseconds',
          60000,
        ),
      })
      .optional()
      .describe('Retries after failures'),
  })
  .meta({ id: 'Profile', description: 'Settings of the whole platform.' });
export type Profile = z.infer<typeof Profile>;

/** A profile as shown in lists and reads (contract/resources#2.15, contract/endpoints#4.20). */
export const ProfileEntry = z
  .looseObject({ metadata: Activity, profile: Profile })
  .meta({ id: 'ProfileEntry', description: 'A profile, and whether it is the active one.' });
export type ProfileEntry = z.infer<typeof ProfileEntry>;
