/* global SwaggerUIBundle */

SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#swagger-ui',
  deepLinking: true,
  docExpansion: 'none',
  filter: true,
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
});

const form = document.getElementById('sign-in');
const signOut = document.getElementById('sign-out');
const outcome = document.getElementById('outcome');

/** Sends a call and throws an error with the message of the response when the call is rejected. */
async function call(path, body) {
  const answer = await fetch(path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error((await answer.json()).message);
}

async function tell(work) {
  try {
    outcome.textContent = await work();
  } catch (error) {
    outcome.textContent = error.message;
  }
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  tell(async () => {
    const { username, password } = Object.fromEntries(new FormData(form));
    await call('/login', { user: { username, password } });
    form.elements.password.value = '';
    signOut.hidden = false;
    return `Signed in as ${username}`;
  });
});

signOut.addEventListener('click', () => {
  tell(async () => {
    await call('/logout', {});
    signOut.hidden = true;
    return 'Signed out';
  });
});
