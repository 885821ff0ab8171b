// SPDX-License-Identifier: MIT
document.getElementById("app").textContent = "Leadhook";
