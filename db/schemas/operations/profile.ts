import { z } from 'zod';
import { flag, number, text, textOrNull, texts } from '../fields.ts';
import { Activity } from './application.ts';
import { ProfileLoggerProps } from './logger-props.ts';
import { AlarmReceiver, Rabbitmq, RedisProps } from './profile-broker.ts';
import { AuthenticationProps, ExpressProps, UiProps } from './profile-web.ts';

const description = text('What the settings are for');

const systemProps = z
  .looseObject({
    shutdownTimeout: number('Time that parts have to end, in seconds', 3),
    servicesBlacklist: texts('Parts that are not started'),
    launchDelay: number('Pause between the start of two parts, in seconds', 1),
    launchTimeout: number('Time that a part has to start, in seconds', 600),
    deadProcessCheck: flag('True looks for parts that have stopped giving signs of life'),
    deadProcessCheckInterval: number('Pause between two such looks, in seconds', 5),
    deadProcessMaxPeriod: number('Silence after which a part counts as dead, in seconds', 15),
    externalRequestTimeout: number('Time that an outside service has to answer, in seconds', 5),
  })
  .describe('Starting, stopping and watching the parts of the platform');

const repositoryAccess = z
  .looseObject({
    enabled: flag('True offers packages from this repository'),
    type: text('Kind of server: gitlab, github', 'gitlab'),
    hostname: text('Server that the repository is on', 'git.example.net'),
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
    description: text('What the profile is for'),
    services: texts('Applications and adapters that run under this profile', [
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
        audit: flag('True records every write in the audit trail'),
        brokerValidation: flag('True checks what adapters answer against their schemas'),
      })
      .optional()
      .describe('Recording and checking'),
    pathProps: z
      .looseObject({ description, encrypted: flag('True when paths in this profile are stored encrypted') })
      .optional()
      .describe('How paths are stored'),
    alarmProps: z.array(AlarmReceiver).optional().describe('Receivers of SNMP notifications'),
    rabbitmq: Rabbitmq.optional(),
    adapterStrategy: z
      .looseObject({
        device: z
          .looseObject({
            adapterTypes: texts('Models of adapter asked about devices, in this order', [
              'Orchestrator',
              'Gateway',
            ]),
            exceptions: z
              .looseObject({ runCommand: text('Model of adapter that runs commands instead', 'Gateway') })
              .optional()
              .describe('Operations that go to another adapter'),
          })
          .optional()
          .describe('Which adapters speak for devices'),
      })
      .optional()
      .describe('Which adapter is asked for what'),
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
        threadCount: number('Threads that call integrations at once', 2),
        timeout: number('Time that an integration has to answer, in seconds', 15),
      })
      .optional()
      .describe('Calling integrations'),
    retryStrategy: z
      .looseObject({
        maxRetries: number(
          'Times that an adapter whose other side does not answer is tried again by itself, before it is left alone',
          5,
        ),
        retryResetTimer: number(
          'Time without failure after which counting starts anew, in milliseconds',
          60000,
        ),
      })
      .optional()
      .describe('Trying again what fails'),
  })
  .meta({ id: 'Profile', description: 'Settings of the whole platform.' });
export type Profile = z.infer<typeof Profile>;

/** A profile as shown in lists and reads (contract/resources#2.15, contract/endpoints#4.20). */
export const ProfileEntry = z
  .looseObject({ metadata: Activity, profile: Profile })
  .meta({ id: 'ProfileEntry', description: 'A profile, and whether it is the one at work.' });
export type ProfileEntry = z.infer<typeof ProfileEntry>;
