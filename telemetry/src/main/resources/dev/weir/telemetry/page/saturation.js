// Replaces the live part of the page with what the server sends. Without this script, a reload does the same.
const live = document.getElementById("live");
const state = document.getElementById("state");
const events = new EventSource("/saturation/events");
let seen = Date.now();
events.addEventListener("saturation", (event) => {
  seen = Date.now();
  live.innerHTML = event.data;
  state.textContent = "live";
});
events.onerror = () => {
  state.textContent = "connection lost; last update at " + new Date(seen).toLocaleTimeString();
};
