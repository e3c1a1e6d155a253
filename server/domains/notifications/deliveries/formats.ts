import { sha256 } from '#server/kernel/secrets/vault.ts';
import { clipped } from '#server/kernel/text/clipped.ts';
import { highestSeverity, linesOf, type Notification, oneLine, pageOf, titleOf, within } from './message.ts';

/** Most events that are written out where the receiver limits the size of a message. */
const MOST_LINES = 20;
/** Slack rejects a text of over 3,000 characters in a block, and a title of over 150. Kept free: the line for the rest. */
const SLACK = { title: 150, text: 2900 };
/** Teams rejects messages of over 28 KB; some of its servers count what they make of it. In bytes, for the lines alone. */
const TEAMS_BYTES = 16_000;
/** PagerDuty rejects events of over 512 KB. In bytes, for the events alone. */
const PAGERDUTY_BYTES = 480_000;

/** Returns the size of a value in a body, in bytes. */
const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/**
 * Returns the body of a webhook.
 *
 * @returns JSON (docs/notifications.md)
 */
export const webhookBody = ({ id, rule, events, omitted }: Notification): string =>
  JSON.stringify({ delivery: id, rule, events, omitted });

const escapeSlack = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/**
 * Returns the body for an incoming webhook of Slack.
 *
 * @returns JSON with blocks
 */
export function slackBody(notification: Notification): string {
  const title = titleOf(notification);
  const lines = linesOf(notification, {
    lines: MOST_LINES,
    size: SLACK.text,
    sizeOf: (line) => line.length + 1,
  });
  // Plain text: no name of a device becomes a link, a mention or an emoji.
  const plain = (text: string) => ({ type: 'plain_text', text, emoji: false });
  return JSON.stringify({
    text: escapeSlack(title),
    blocks: [
      { type: 'header', text: plain(clipped(title, SLACK.title)) },
      { type: 'section', text: plain(lines.join('\n')) },
    ],
  });
}

const TEAMS_COLOURS = { info: 'Default', warning: 'Warning', error: 'Attention' } as const;

/** Returns a line of a card. Unlike a TextBlock, a TextRun shows Markdown as it is: no name of a device becomes a link. */
const teamsText = (run: { text: string; weight?: string; color?: string }) => ({
  type: 'RichTextBlock',
  inlines: [{ type: 'TextRun', ...run }],
});

/**
 * Returns the body for an incoming webhook of Microsoft Teams: an Adaptive Card.
 *
 * @returns JSON of a message with one card
 */
export const teamsBody = (notification: Notification): string =>
  JSON.stringify({
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          body: [
            teamsText({
              text: titleOf(notification),
              weight: 'Bolder',
              color: TEAMS_COLOURS[highestSeverity(notification.events)],
            }),
            ...linesOf(notification, {
              lines: MOST_LINES,
              size: TEAMS_BYTES,
              sizeOf: (text) => bytesOf(teamsText({ text })),
            }).map((text) => teamsText({ text })),
          ],
        },
      },
    ],
  });

/**
 * Returns the body for the Events API of PagerDuty, version 2. An adapter that responds again resolves the incident that
 * its failure opened.
 *
 * @param routingKey the integration key of the service, a secret
 * @returns JSON of an event
 */
export function pagerDutyBody(notification: Notification, routingKey: string): string {
  const { id, events, omitted } = notification;
  const [first] = events;
  const shown = within(events, PAGERDUTY_BYTES, bytesOf);
  const isAdapter = events.length === 1 && omitted === 0 && /^adapter(Up|Down)$/.test(first?.topic ?? '');
  const incident = isAdapter ? `switchyard/adapter/${String(first?.payload.name)}` : id;
  return JSON.stringify({
    routing_key: routingKey,
    event_action: isAdapter && first?.topic === 'adapterUp' ? 'resolve' : 'trigger',
    dedup_key: dedupKey(incident),
    payload: {
      summary: clipped(titleOf(notification), 1024),
      source: 'switchyard',
      severity: highestSeverity(events),
      ...(first && { timestamp: first.time }),
      custom_details: {
        delivery: id,
        rule: notification.rule,
        events: shown,
        omitted: omitted + events.length - shown.length,
      },
    },
  });
}

/** Longest key of an incident that PagerDuty accepts, in characters. */
const LONGEST_KEY = 255;

/** Returns the key of an incident; the hash of a long one replaces its end, so that two of them stay two. */
function dedupKey(incident: string): string {
  if (incident.length <= LONGEST_KEY) return incident;
  const hash = sha256(incident);
  return `${clipped(incident, LONGEST_KEY - hash.length - 1)}-${hash}`;
}

/**
 * Returns subject and text of a mail.
 *
 * @param origin under which browsers reach the platform, such as `https://nms.example.net`; undefined: no page is named
 * @returns both as plain text
 */
export const mailOf = (notification: Notification, origin?: string) => ({
  subject: `[Switchyard] ${titleOf(notification)}`,
  text: [
    ...linesOf(notification),
    '',
    ...(origin === undefined ? [] : pagesOf(notification).map((path) => `Open: ${origin}${path}`)),
    ...(notification.rule ? [`Rule: ${oneLine(notification.rule.name, 300)}`] : []),
    `Delivery: ${notification.id}`,
  ].join('\n'),
});

/** Returns the pages about the first events of a notification, each once. */
const pagesOf = ({ events }: Notification): string[] =>
  [...new Set(events.flatMap((event) => pageOf(event) ?? []))].slice(0, MOST_LINES);
