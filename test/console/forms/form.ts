import type { Page } from 'playwright-core';
import type { openHarbour } from '../../helpers/console/harbour.ts';
import type { Person } from '../../helpers/people.ts';

/** What the forms are about, and who fills them in. */
export type Harbour = Awaited<ReturnType<typeof openHarbour>> & { person: Person };

/** A form of the console: where it is, how it is filled in and sent. */
export type Form = {
  /** Its source below `web/src`. */
  file: string;
  /** True: another use of a form that is in the table already. */
  isAgain?: boolean;
  path: string;
  /** Names of the buttons to press, in order, until the form is open. */
  open?: readonly (string | RegExp)[];
  /** Texts by the labels of their fields. */
  text: Readonly<Record<string, string>>;
  /** Options by the labels of their lists. */
  choose?: Readonly<Record<string, string>>;
  /** Boxes that are ticked. */
  tick?: readonly string[];
  /** What is done before it can be opened. */
  prepare?: (page: Page) => Promise<void>;
  send: string | RegExp;
  /** The status of the answer at last; absent: 200. */
  status?: number;
  /** What somebody else does while the form is filled in. */
  meanwhile?: () => Promise<unknown>;
  /** Fields that are folded at first, by their summary. */
  unfold?: string | RegExp;
};
