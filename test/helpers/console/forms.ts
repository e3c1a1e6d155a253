import type { Locator, Page } from 'playwright-core';

/** The text fields of a form that a person can type into: those that are shown, with editors of code among them. */
const FIELDS =
  'input:not([type=checkbox], [type=radio], [type=file], [type=search], [type=hidden]):not([disabled], [readonly]), textarea:not([disabled], [readonly]), .cm-content[contenteditable=true]';

const TYPED: Readonly<Record<string, string>> = {
  number: '7',
  date: '2026-03-04',
  time: '03:15',
  'datetime-local': '2026-03-04T03:15',
  email: 'typed@example.com',
  url: 'http://192.0.2.1/typed',
  password: 'typed-by-a-person-41',
};

/** Returns what every text field of a form holds, in the order of the page. */
export const typedIn = (form: Locator): Promise<string[]> =>
  form.locator(FIELDS).evaluateAll((fields) =>
    fields.map((field) => {
      const { value, textContent } = field as unknown as { value?: string; textContent: string };
      return value ?? textContent;
    }),
  );

/** Types into every text field of a form that is shown, and makes the choices that it asks for. @returns what the fields hold */
export async function typeInto(form: Locator): Promise<string[]> {
  const choices = form.locator('select');
  for (let at = 0; at < (await choices.count()); at++) {
    const choice = choices.nth(at);
    const isOpen = (await choice.isVisible()) && (await choice.inputValue()) === '';
    if (isOpen && (await choice.locator('option').count()) > 1) await choice.selectOption({ index: 1 });
  }
  for (const list of await form.locator('fieldset.check-list').all()) {
    const first = list.locator('.check-list-items input[type=checkbox]').first();
    if ((await first.count()) > 0) await first.check();
  }
  const fields = form.locator(FIELDS);
  for (let at = 0; at < (await fields.count()); at++) {
    const field = fields.nth(at);
    if (!(await field.isVisible())) continue;
    const type = (await field.getAttribute('type')) ?? 'text';
    await field.fill(TYPED[type] ?? `typed ${at}`);
  }
  // A field that completes values may change what was typed: what counts is what is shown once that is done.
  await form.page().waitForTimeout(50);
  return typedIn(form);
}

/** Opens the sections of a form that are folded. */
export async function unfold(form: Locator): Promise<void> {
  const folded = form.locator('details:not([open]) > summary');
  for (let rest = await folded.count(); rest > 0; rest--) await folded.first().click();
}

/** Presses the button that sends a form, if the form is complete enough for it. @returns whether it was pressed */
export async function send(form: Locator): Promise<boolean> {
  const button = form.locator('button[type=submit], .button[data-variant=primary]').last();
  if ((await button.count()) === 0 || (await button.isDisabled())) return false;
  await button.click();
  return true;
}

/**
 * Makes a page ask its server something without sending the form: one more character in a field that the server completes or counts,
 * and what a window asks when it comes to the front.
 */
export async function ask(form: Locator): Promise<void> {
  const field = form.locator(FIELDS).first();
  await field.press('End');
  await field.press('x');
  await form.page().waitForTimeout(500);
  await field.press('Backspace');
  await form.page().evaluate(`dispatchEvent(new Event('visibilitychange'))`);
}

/** Signs in again in the dialog that a page shows once its session has ended. */
export async function signInAgain(
  page: Page,
  { username, password }: { username: string; password: string },
): Promise<void> {
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
  await dialog.waitFor();
  await dialog.getByLabel('Username').fill(username);
  await dialog.getByLabel('Password').fill(password);
  await dialog.getByRole('button', { name: 'Sign in', exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
}
