import { z } from 'zod';
import { flag, number, text, textOrNull } from '../fields.ts';

/** The pages of the console (contract/resources#2.15 uiProps). */
export const UiProps = z
  .looseObject({
    description: text('Description of the settings'),
    layout: text('Template that frames every page', 'ui/layout.html'),
    home: text('Page shown after signing in', 'ui/home.html'),
    login: text('Page to sign in on', 'ui/login.html'),
    profile: text('Page on which users change their own settings', 'ui/profile.html'),
    fav_icon: text('Small image that browsers show beside the title', 'ui/favicon.ico'),
  })
  .meta({ id: 'UiProps', description: 'Pages of the console.' });

/** Sign-in settings (contract/resources#2.15 authenticationProps, contract/decisions#3). */
export const AuthenticationProps = z
  .looseObject({
    description: text('Description of the settings'),
    uniqueSession: flag('True: signing in ends the older sessions of the account'),
    admins: z
      .array(
        z.looseObject({
          provenance: text('Directory that the group or account comes from', 'local'),
          group: text('Name of the group or account that gets the role admin', 'network-admins'),
        }),
      )
      .optional()
      .describe('Further groups and accounts with the role admin'),
    logoutTime: number('Idle time after which a session ends, in minutes; absent: 60', 60),
    sessionMaximum: number('Maximum duration of a session, in minutes; absent: 720 (12 hours)', 720),
    cookieName: text('Name of the cookie that holds the session token; absent: token', 'token'),
    brokerPrincipal: flag('True hands the caller’s identity on to adapters'),
  })
  .meta({ id: 'AuthenticationProps', description: 'Signing in, sessions and admins.' });

const port = (description: string, example: number) => number(`TCP port ${description}`, example);

/** The web server (contract/resources#2.15 expressProps). */
export const ExpressProps = z
  .looseObject({
    description: text('Description of the settings'),
    express_http: z
      .looseObject({
        enable: flag('True serves without encryption'),
        port: port('to serve on', 3000),
      })
      .optional()
      .describe('Serving over HTTP'),
    express_https: z
      .looseObject({
        enable: flag('True serves with encryption'),
        port: port('to serve on', 3443),
        key: textOrNull('Path of the private key, PEM; read as <PASSWORD>', '<PASSWORD>'),
        cert: text('Path of the certificate, PEM', '/etc/switchyard/cert.pem'),
        passphrase: textOrNull('Passphrase of the private key; read as <PASSPHRASE>', '<PASSPHRASE>'),
        secureProtocol: text('TLS method that clients must speak', 'TLSv1_2_method'),
        ciphers: text('Cipher suites to offer, as an OpenSSL list', 'ECDHE-RSA-AES256-GCM-SHA384'),
        client_reneg_limit: number('Maximum number of renegotiations of a client within the window', 3),
        client_reneg_window: number('Length of that window, in seconds', 600),
      })
      .optional()
      .describe('Serving over HTTPS'),
    cacheControl: flag('True lets browsers cache pages'),
    timeout: number('Time after which an idle connection is closed, in milliseconds', 300000),
    access_control_allow_origin: text(
      'Origin that may call from other sites; * for any',
      'https://noc.example.net',
    ),
  })
  .meta({ id: 'ExpressProps', description: 'The web server.' });
