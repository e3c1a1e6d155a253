/** Shows in the page the response of the public health endpoint, or that it does not respond. */
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
