/** Says in the page what the public health endpoint answers, or that it does not answer. */
async function showHealth() {
  const health = document.getElementById('health');
  try {
    const answer = await fetch('/health/status');
    const { services = [], apps, adapters } = await answer.json();
    const parts = [
      ...services.map(({ service, status }) => `${service} ${status}`),
      `applications ${apps}`,
      `adapters ${adapters}`,
    ];
    health.textContent = answer.ok ? parts.join(', ') : 'not ready';
  } catch {
    health.textContent = 'no answer';
  }
}

showHealth();
