"use strict";
(() => {
  const search = document.getElementById("search");
  const hits = document.getElementById("hits");
  const rows = [...document.querySelectorAll(".list tbody tr")];
  const files = [...document.querySelectorAll(".file")];
  const texts = new Map([...rows, ...files].map((node) => [node, node.textContent.toLowerCase()]));
  let current = -1;

  function filter() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const [node, text] of texts) {
      node.hidden = !words.every((word) => text.includes(word));
      shown += node.hidden ? 0 : 1;
    }
    hits.textContent = words.length ? `${shown} of ${texts.size}` : "";
    if (words.length) for (const section of document.querySelectorAll(".section")) section.open = true;
  }

  function go(step) {
    const visible = files.filter((file) => !file.hidden);
    if (!visible.length) return;
    const at = visible.indexOf(files[current]);
    const next = visible[Math.min(Math.max(at + step, 0), visible.length - 1)];
    files.forEach((file) => file.classList.toggle("current", file === next));
    current = files.indexOf(next);
    next.open = true;
    next.querySelector("summary").focus({ preventScroll: true });
    next.scrollIntoView({ block: "start" });
  }

  function open(hash) {
    const target = hash && document.getElementById(hash.slice(1));
    if (target && target.tagName === "DETAILS") {
      target.open = true;
      current = files.indexOf(target);
      target.scrollIntoView({ block: "start" });
    }
  }

  search.addEventListener("input", filter);
  window.addEventListener("hashchange", () => open(location.hash));
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target === search) {
      if (event.key === "Escape") { search.value = ""; filter(); search.blur(); }
      return;
    }
    if (event.key === "/") { event.preventDefault(); search.focus(); }
    else if (event.key === "j") go(1);
    else if (event.key === "k") go(-1);
    else if (event.key === "o" && files[current]) files[current].open = !files[current].open;
  });
  open(location.hash);
})();
