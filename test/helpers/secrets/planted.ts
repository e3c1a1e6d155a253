import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { orchestratorAdapter } from '../devices/orchestrator.ts';
import { documentOf, integrationOf, serverAt } from '../integrations/integrations.ts';
import { task, workflowOf } from '../workflows.ts';

type Json = Record<string, unknown>;

/** A request that stores secrets: the name of the operation, its input, and where lists have the secret. */
export type Planting = {
  operation: string;
  input: Json;
  /** List operation and path of a field that holds a secret there, to ask filters for it. */
  listed?: [list: string, field: string];
};

/** A secret that nothing else can hold by chance; `kept` has all of them. */
export function secretsOf() {
  const kept: string[] = [];
  const secret = (of: string): string => {
    const made = `Planted${of}${randomBytes(9).toString('hex')}`;
    kept.push(made);
    return made;
  };
  /** A private key; what is looked for is a line of it. */
  const pem = (): string => {
    const { privateKey } = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    });
    kept.push(privateKey.split('\n')[8] ?? privateKey);
    return privateKey;
  };
  return { kept, secret, pem };
}

/**
 * Requests that store a secret of every kind that the platform holds.
 *
 * @param port of a system that repeats whatever it receives
 */
export function plantingsOf({ secret, pem }: ReturnType<typeof secretsOf>, port: number): Planting[] {
  const url = `http://127.0.0.1:${port}`;
  const host = { host: '127.0.0.1', port: 9, username: 'svc' };
  const adapter = (name: string, model: string, type: string, properties: Json) => ({
    properties: {
      ...{ name, type: 'Adapter', model },
      properties: { id: name, type, brokers: [], groups: [], properties },
    },
  });
  const plain = { host: '127.0.0.1', port, tls: { enabled: false } };
  return [
    {
      operation: 'automationgateway.createHost',
      input: {
        kind: 'cli',
        host: {
          ...{
            ...host,
            name: 'planted-cli',
            device_type: 'cisco_ios',
            custom: { apiToken: secret('Custom') },
          },
          ...{ password: secret('Host'), enablePassword: secret('Enable'), privateKey: pem() },
        },
      },
      listed: ['automationgateway.listHosts', 'password'],
    },
    {
      operation: 'automationgateway.createHost',
      input: {
        kind: 'grpc',
        host: { ...host, name: 'planted-grpc', password: secret('Grpc'), tls: { enabled: true, key: pem() } },
      },
    },
    {
      operation: 'automationgateway.createHost',
      input: {
        kind: 'http',
        host: { ...host, port, name: 'planted-http', protocol: 'http', password: secret('Http') },
      },
    },
    {
      operation: 'automationgateway.createCredential',
      input: {
        credential: { name: 'planted', username: 'svc', password: secret('Credential'), privateKey: pem() },
      },
      listed: ['automationgateway.listCredentials', 'password'],
    },
    {
      operation: 'inventory.importCsv',
      input: {
        csv: `name,host,device_type,username,password,snmp_community\nplanted-csv,192.0.2.9,cisco_ios,svc,${secret('Csv')},${secret('Community')}\n`,
      },
    },
    {
      operation: 'inventory.createSource',
      input: { source: { name: 'planted', type: 'netbox', url, token: secret('Source') } },
      listed: ['inventory.listSources', 'token'],
    },
    {
      operation: 'notifications.createChannel',
      input: {
        channel: {
          name: 'Planted webhook',
          type: 'webhook',
          url,
          secret: secret('Hook'),
          token: secret('HookToken'),
        },
      },
      listed: ['notifications.listChannels', 'token'],
    },
    ...['slack', 'teams'].map((type) => ({
      operation: 'notifications.createChannel',
      input: { channel: { name: `Planted ${type}`, type, webhookUrl: `${url}/hook/${secret(type)}` } },
      listed: ['notifications.listChannels', 'webhookUrl'] as [string, string],
    })),
    {
      operation: 'notifications.createChannel',
      input: { channel: { name: 'Planted pager', type: 'pagerduty', url, routingKey: secret('Pager') } },
    },
    {
      operation: 'notifications.createChannel',
      input: {
        channel: {
          ...{
            name: 'Planted mail',
            type: 'smtp',
            host: '127.0.0.1',
            port,
            security: 'none',
            username: 'robot',
          },
          ...{ password: secret('Mail'), from: 'a@example.net', to: ['b@example.net'] },
        },
      },
    },
    {
      operation: 'git.createRemote',
      input: {
        remote: {
          ...{
            name: 'Planted',
            url: 'https://127.0.0.1:9/planted.git',
            branch: 'main',
            kinds: ['workflows'],
          },
          ...{ direction: 'both', credential: { username: 'robot', token: secret('Git') } },
        },
      },
      listed: ['git.listRemotes', 'credential.token'],
    },
    {
      operation: 'secrets.createProvider',
      input: {
        provider: { name: 'planted', kind: 'vault', url, auth: { method: 'token', token: secret('Vault') } },
      },
      listed: ['secrets.listProviders', 'auth.token'],
    },
    {
      operation: 'secrets.createProvider',
      input: {
        provider: {
          ...{ name: 'planted-role', kind: 'vault', url },
          auth: { method: 'approle', roleId: 'role', secretId: secret('Approle') },
        },
      },
    },
    {
      operation: 'signIn.createProvider',
      input: {
        provider: {
          ...{ name: 'planted-oidc', type: 'oidc' },
          oidc: { issuer: url, clientId: 'switchyard', clientSecret: secret('Oidc') },
        },
      },
    },
    {
      operation: 'signIn.createProvider',
      input: {
        provider: {
          ...{ name: 'planted-ldap', type: 'ldap' },
          ldap: {
            url: 'ldaps://127.0.0.1:9',
            bindDn: 'cn=a',
            bindPassword: secret('Ldap'),
            userBase: 'dc=a',
          },
        },
      },
    },
    {
      operation: 'profiles.createProfile',
      input: {
        properties: {
          ...{
            id: 'planted',
            redisProps: { password: secret('Redis') },
            rabbitmq: { password: secret('Rabbit') },
          },
          ...{ expressProps: { express_https: { enable: false, passphrase: secret('Passphrase') } } },
          ...{
            prebuiltProps: { repoConfigs: { '@planted': { type: 'gitlab', accessToken: secret('Repo') } } },
          },
        },
      },
    },
    {
      operation: 'applications.updateApplicationProperties',
      input: { name: 'Tags', properties: { apiKey: secret('Application') } },
    },
    {
      operation: 'adapters.createAdapter',
      input: {
        properties: orchestratorAdapter('planted-orchestrator', port, {
          authentication: { auth_method: 'basic', username: 'bar', password: secret('Orchestrator') },
        }),
      },
      listed: ['adapters.listAdapters', 'properties.properties.authentication.password'],
    },
    {
      operation: 'adapters.createAdapter',
      input: adapter('planted-rest', '@vendor/adapter-rest', 'Rest', {
        ...plain,
        authentication: { auth_method: 'basic', username: 'bar', password: secret('Rest') },
      }),
    },
    {
      operation: 'integrationModels.createModel',
      input: {
        model: documentOf(
          'Planted',
          {
            '/devices': { get: { operationId: 'listDevices' } },
            '/devices/add': { post: { operationId: 'addDevice' } },
          },
          {
            security: [{ key: [] }, { sign: [] }],
            components: {
              securitySchemes: {
                key: { type: 'apiKey', in: 'query', name: 'key' },
                sign: {
                  type: 'oauth2',
                  flows: { clientCredentials: { tokenUrl: `${url}/token`, scopes: {} } },
                },
              },
            },
          },
        ),
      },
    },
    ...['key', 'sign'].map((scheme) => ({
      operation: 'integrations.createIntegration',
      input: integrationOf(`planted-${scheme}`, 'Planted:1', {
        ...serverAt(port),
        headers: { 'X-Api-Key': secret('Header') },
        query: { apiToken: secret('Query') },
        security: [scheme],
        authentication:
          scheme === 'key'
            ? { key: { value: secret('Key') } }
            : { sign: { client_id: 'one', client_secret: secret('Sign'), token_url: `${url}/token` } },
      }),
      listed: ['integrations.listIntegrations', 'properties.properties.headers.X-Api-Key'] as [
        string,
        string,
      ],
    })),
    {
      operation: 'automationStudio.createWorkflow',
      input: {
        automation: workflowOf('Planted', {
          a: task('stringLength', { str: '$var.job.password' }, { length: '$var.job.length' }),
          b: task(
            'restCall',
            { method: 'POST', url, body: '$var.job.password' },
            { response: '$var.job.answer' },
          ),
        }),
      },
    },
    {
      operation: 'operationsManager.startJob',
      input: { workflow: 'Planted', options: { variables: { password: secret('Variable') } } },
      listed: ['operationsManager.listJobs', 'variables.password'],
    },
    {
      operation: 'operationsManager.createAutomation',
      input: { automation: { name: 'Planted', componentType: 'workflows', componentName: 'Planted' } },
    },
  ];
}
