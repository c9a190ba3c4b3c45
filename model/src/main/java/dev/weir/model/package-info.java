/** Language models as the rest of Weir sees them: request, reply, failure, and limits around. */
@NullMarked
package dev.weir.model;

import org.jspecify.annotations.NullMarked;
